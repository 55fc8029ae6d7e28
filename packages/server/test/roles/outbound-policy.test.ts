import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config/config.ts';
import { parseTarget } from '../../src/platform/outbound/target.ts';
import { outboundPolicy } from '../../src/roles/outbound-policy.ts';

function policyOf(env: Record<string, string>, port = 4800) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const policy = outboundPolicy(readConfig(env), { port, log });
  const isOpen = (url: string) => parseTarget(url, policy).ok;
  return { policy, lines, isOpen };
}

const PUBLIC = { CULPRIT_BASE_URL: 'https://errors.example.com' };

describe('the outbound policy of an installation', () => {
  it('lets receivers be on this machine while the base URL is loopback, and never the service itself', () => {
    const { isOpen } = policyOf({});
    expect(isOpen('http://localhost:9009/in')).toBe(true);
    expect(isOpen('http://127.0.0.1:9009/in')).toBe(true);
    expect(isOpen('http://localhost:4800/in')).toBe(false);
    expect(isOpen('http://127.0.0.1:4800/in')).toBe(false);
  });

  it('closes the port of the base URL as well as the one it listens on', () => {
    const { isOpen } = policyOf({ CULPRIT_BASE_URL: 'http://localhost:8000', CULPRIT_PORT: '4801' }, 4801);
    expect(isOpen('http://localhost:8000/')).toBe(false);
    expect(isOpen('http://[::1]:4801/')).toBe(false);
    expect(isOpen('http://localhost:4800/')).toBe(true);
  });

  it.each([
    'https://localhost/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://169.254.169.254/x',
    'https://10.1.2.3/x',
    'https://100.64.0.1/x',
    'https://[fd00::1]/x',
    'https://user:pw@hooks.example.com/x',
    'https://hooks.example.com:8443/x',
    'http://hooks.example.com/x',
    'https://db.internal/x',
    'https://errors.example.com/v1/events',
    'https://app.example.com/',
  ])('N-43 closes %s when the base URL is not loopback', (url) => {
    const { policy } = policyOf({ ...PUBLIC, CULPRIT_APP_URL: 'https://app.example.com' });
    expect(parseTarget(url, policy)).toEqual({ ok: false, reason: 'blocked_target' });
  });

  // N-30
  it('calls an address that cannot be read a bad payload, and other schemes blocked', () => {
    const { policy } = policyOf(PUBLIC);
    expect(parseTarget('nonsense', policy)).toEqual({ ok: false, reason: 'invalid_payload' });
    expect(parseTarget('https://', policy)).toEqual({ ok: false, reason: 'invalid_payload' });
    expect(parseTarget('ftp://x.example.com', policy)).toEqual({ ok: false, reason: 'blocked_target' });
  });

  it('stores the parsed form, without the fragment', () => {
    const { policy } = policyOf(PUBLIC);
    const target = parseTarget('HTTPS://Hooks.Example.com:443/a b?c=d#e', policy);
    expect(target.ok && target.url.href).toBe('https://hooks.example.com/a%20b?c=d');
  });

  // N-45
  it('opens what the operator lists, and logs it without secrets', () => {
    const { isOpen, policy, lines } = policyOf({
      ...PUBLIC,
      CULPRIT_OUTBOUND_ALLOWLIST: '127.0.0.1:9009, *.svc.example.com, [fd00::/8]:8443, Receiver:8080',
      CULPRIT_OUTBOUND_PROXY: 'http://user:hunter2@proxy.example.com:3128',
    });
    expect(policy.allowlist).toEqual([
      { kind: 'range', address: '127.0.0.1', prefixBits: 32, port: 9009 },
      { kind: 'suffix', suffix: '.svc.example.com', port: null },
      { kind: 'range', address: 'fd00::', prefixBits: 8, port: 8443 },
      { kind: 'host', name: 'receiver', port: 8080 },
    ]);
    expect(isOpen('http://127.0.0.1:9009/in')).toBe(true);
    expect(isOpen('http://127.0.0.1:9010/in')).toBe(false);
    expect(isOpen('http://169.254.169.254/')).toBe(false);
    expect(isOpen('http://[fd00::1]:8443/')).toBe(true);
    expect(isOpen('http://receiver:8080/')).toBe(true);
    expect(lines.join()).toContain('127.0.0.1:9009');
    expect(lines.join()).not.toContain('hunter2');
    expect(JSON.stringify(policy)).not.toContain('hunter2');
  });

  it('says nothing and opens nothing by default', () => {
    const { lines, policy } = policyOf(PUBLIC, 0);
    expect(lines).toEqual([]);
    expect(policy).toEqual({
      allowlist: [],
      isLoopbackAllowed: false,
      ownPorts: [],
      ownHosts: ['errors.example.com:443'],
      proxyUrl: null,
      nameServers: null,
    });
  });
});
