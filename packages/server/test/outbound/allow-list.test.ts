// Proves 33.
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { parseTarget } from '../../src/platform/outbound/target.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type HttpTarget, startHttpTarget } from '../support/http-target.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

const ANSWERED = { kind: 'answered', status: 200 };
const BLOCKED = { kind: 'failed', word: 'target_blocked', errorKind: 'address_blocked' };

let dns: DnsServer;
let target: HttpTarget;
let ipv6Target: HttpTarget;

beforeAll(async () => {
  dns = await startDnsServer();
  target = await startHttpTarget();
  ipv6Target = await startHttpTarget({ address: '::1' });
  dns.set('receiver.example.com', { addresses: ['127.0.0.1'] });
  dns.set('a.receivers.example.com', { addresses: ['127.0.0.1'] });
  dns.set('b.a.receivers.example.com', { addresses: ['127.0.0.1'] });
  dns.set('both.example.com', { addresses: ['127.0.0.1', '::1'] });
  dns.set('hooks.internal', { addresses: ['127.0.0.1'] });
  dns.set('receiver', { addresses: ['127.0.0.1'] });
});
afterAll(async () => {
  await Promise.all([target.close(), ipv6Target.close(), dns.close()]);
});

describe('the allow-list', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:PORT/in'],
    ['127.0.0.1:PORT', 'http://127.0.0.1:PORT/in'],
    ['127.0.0.1:PORT', 'http://2130706433:PORT/in'],
    ['127.0.0.1:PORT', 'http://[::ffff:127.0.0.1]:PORT/in'],
    ['127.0.0.0/8', 'http://127.0.0.1:PORT/in'],
    ['127.0.0.0/8:PORT', 'http://127.0.0.1:PORT/in'],
    ['0.0.0.0/0', 'http://127.0.0.1:PORT/in'],
    ['[::1]', 'http://[::1]:PORT6/in'],
    ['::1', 'http://[::1]:PORT6/in'],
    ['[::1]:PORT6', 'http://[::1]:PORT6/in'],
    ['[::/64]:PORT6', 'http://[0:0:0:0:0:0:0:1]:PORT6/in'],
    ['receiver.example.com', 'http://receiver.example.com:PORT/in'],
    ['receiver.example.com:PORT', 'http://receiver.example.com:PORT/in'],
    ['receiver.example.com:PORT', 'http://RECEIVER.example.com.:PORT/in'],
    ['*.receivers.example.com', 'http://a.receivers.example.com:PORT/in'],
    ['*.receivers.example.com:PORT', 'http://b.a.receivers.example.com:PORT/in'],
    ['hooks.internal', 'http://hooks.internal:PORT/in'],
    ['receiver:PORT', 'http://receiver:PORT/in'],
    ['localhost:PORT', 'http://localhost:PORT/in'],
    ['other.example.com, 127.0.0.1:PORT', 'http://127.0.0.1:PORT/in'],
    ['both.example.com:PORT', 'http://both.example.com:PORT/in'],
    ['both.example.com:PORT6', 'http://both.example.com:PORT6/in'],
  ])('N-45 with %s, %s is called', async (entries, url) => {
    const policy = policyOf(entries);
    expect(parseTarget(withPort(url), policy).ok).toBe(true);
    expect(await sendGuarded(policy, deliveryTo(withPort(url)))).toMatchObject(ANSWERED);
    expect(await sendGuarded(policy, checkOf(withPort(url)))).toMatchObject(ANSWERED);
    expect(await checkTarget(withPort(url), policy)).toBe('allowed');
  });

  it.each([
    ['127.0.0.1:9009', 'http://127.0.0.1:PORT/in'],
    ['127.0.0.1:9009', 'http://169.254.169.254/'],
    ['127.0.0.2:PORT', 'http://127.0.0.1:PORT/in'],
    ['127.0.0.2/31:PORT', 'http://127.0.0.1:PORT/in'],
    ['10.0.0.0/8', 'http://127.0.0.1:PORT/in'],
    ['[::1]:PORT', 'http://127.0.0.1:PORT/in'],
    ['receiver.example.com:9009', 'http://receiver.example.com:PORT/in'],
    ['other.example.com', 'http://receiver.example.com:PORT/in'],
    ['example.com', 'http://receiver.example.com:PORT/in'],
    ['*.receivers.example.com', 'http://receivers.example.com:PORT/in'],
    ['*.receivers.example.com', 'http://evilreceivers.example.com:PORT/in'],
    ['receiver.example.com', 'http://receiver.example.com.evil.example.com:PORT/in'],
    ['receiver.example.com', 'http://127.0.0.1:PORT/in'],
    ['127.0.0.1:PORT', 'http://localhost:PORT/in'],
    // What a name leads to is not known yet when its scheme and port are judged.
    ['127.0.0.1:PORT', 'http://receiver.example.com:PORT/in'],
    ['receiver.example.com', 'http://user:pw@receiver.example.com:PORT/in'],
    ['receiver.example.com', 'ftp://receiver.example.com:PORT/in'],
  ])('N-45 with %s, %s stays closed', async (entries, url) => {
    const policy = policyOf(entries);
    const before = target.connections.total;
    expect(parseTarget(withPort(url), policy)).toEqual({ ok: false, reason: 'blocked_target' });
    expect(await sendGuarded(policy, deliveryTo(withPort(url)))).toMatchObject(BLOCKED);
    expect(await sendGuarded(policy, checkOf(withPort(url)))).toMatchObject(BLOCKED);
    expect(await checkTarget(withPort(url), policy)).toBe('blocked');
    expect(target.connections.total).toBe(before);
  });

  it('an address entry permits that address under any name, and no other address of it', async () => {
    const policy = policyWith({ nameServers: [dns.address], allowlist: ['10.0.0.5', '10.0.0.6:443'] });
    dns.set('one.example.com', { addresses: ['10.0.0.5'] });
    dns.set('two.example.com', { addresses: ['10.0.0.5', '10.0.0.6'] });
    dns.set('three.example.com', { addresses: ['10.0.0.5', '10.0.0.7'] });
    expect(await checkTarget('https://one.example.com/', policy)).toBe('allowed');
    expect(await checkTarget('http://one.example.com/', policy)).toBe('allowed');
    expect(await checkTarget('https://two.example.com/', policy)).toBe('allowed');
    expect(await checkTarget('http://two.example.com/', policy)).toBe('blocked');
    expect(await checkTarget('https://three.example.com/', policy)).toBe('blocked');
  });

  it.each([
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '224.0.0.1',
    '239.255.255.250',
    '255.255.255.255',
    'ff02::1',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00:101:101',
    '2002:a9fe:a9fe::1',
  ])('cannot open %s, as written or under a name that is listed', async (address) => {
    const policy = policyWith({
      nameServers: [dns.address],
      allowlist: ['0.0.0.0/0', '::/0', address, '*.example.com', 'metadata.example.com:80'],
    });
    dns.set('metadata.example.com', { addresses: [address] });
    const written = address.includes(':') ? `[${address}]` : address;
    for (const host of [written, 'metadata.example.com']) {
      expect(await checkTarget(`http://${host}/latest/`, policy)).toBe('blocked');
      expect(await sendGuarded(policy, deliveryTo(`http://${host}/latest/`))).toMatchObject(BLOCKED);
      expect(await sendGuarded(policy, checkOf(`https://${host}/latest/`))).toMatchObject(BLOCKED);
    }
  });
});

describe('receivers on this machine', () => {
  it.each([
    'http://localhost:PORT/in',
    'http://127.0.0.1:PORT/in',
    'http://LOCALHOST:PORT/',
    'http://127.1:PORT/',
  ])('are called at %s while the base URL is loopback, and never by availability checks', async (url) => {
    const policy = policyWith({ isLoopbackAllowed: true });
    expect(await sendGuarded(policy, deliveryTo(withPort(url)))).toMatchObject(ANSWERED);
    expect(await sendGuarded(policy, checkOf(withPort(url)))).toMatchObject(BLOCKED);
    expect(await checkTarget(withPort(url), policy)).toBe('blocked');
    expect(parseTarget(withPort(url), policyWith()).ok).toBe(false);
  });

  it('are found on IPv6 too', async () => {
    const policy = policyWith({ isLoopbackAllowed: true });
    for (const url of ['http://localhost:PORT6/in', 'http://[::1]:PORT6/in']) {
      expect(await sendGuarded(policy, deliveryTo(withPort(url)))).toMatchObject(ANSWERED);
    }
  });

  it.each([
    'https://receiver.example.com/in',
    'https://localhost.example.com/in',
    'http://app.localhost:PORT/in',
    'http://localhost.:PORT/in',
    'http://[::ffff:127.0.0.1]:PORT/in',
    'http://10.0.0.1:PORT/in',
    'http://0.0.0.0:PORT/in',
    'http://0:PORT/in',
    'http://[::]:PORT/in',
  ])('do not include %s', async (url) => {
    dns.set('localhost.example.com', { addresses: ['127.0.0.1'] });
    const policy = policyWith({ isLoopbackAllowed: true, nameServers: [dns.address] });
    expect(await sendGuarded(policy, deliveryTo(withPort(url)))).toMatchObject(BLOCKED);
  });
});

describe('the service itself', () => {
  it.each([
    'http://localhost:PORT/v1/events',
    'http://127.0.0.1:PORT/',
    'http://127.0.0.2:PORT/',
    'http://[::1]:PORT/',
    'http://2130706433:PORT/',
  ])('is closed at %s where loopback is allowed', async (url) => {
    const policy = policyWith({ isLoopbackAllowed: true, ownPorts: [target.port] });
    const before = target.connections.total;
    expect(parseTarget(withPort(url), policy)).toEqual({ ok: false, reason: 'blocked_target' });
    expect(await sendGuarded(policy, deliveryTo(withPort(url)))).toMatchObject(BLOCKED);
    expect(target.connections.total).toBe(before);
  });

  it('is closed at every address of this machine, also under a listed name', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ scopeid }) => !scopeid)
      .map(({ address }) => address);
    const policy = policyWith({
      nameServers: [dns.address],
      ownPorts: [target.port],
      allowlist: ['0.0.0.0/0', '::/0', 'self.example.com'],
    });
    expect(own).toContain('127.0.0.1');
    for (const address of own) {
      dns.set('self.example.com', { addresses: [address] });
      expect(await checkTarget(`http://self.example.com:${target.port}/`, policy)).toBe('blocked');
    }
  });

  it('is closed under the address others reach it by', () => {
    const policy = policyWith({ ownHosts: ['errors.example.com:443'], allowlist: ['errors.example.com'] });
    const isOpen = (url: string) => parseTarget(url, policy, { purpose: 'availability_check' }).ok;
    expect(isOpen('https://errors.example.com/health')).toBe(false);
    expect(isOpen('https://errors.example.com.:443/health')).toBe(false);
    expect(isOpen('http://errors.example.com/health')).toBe(true);
    expect(isOpen('https://www.errors.example.com/health')).toBe(true);
  });
});

function withPort(text: string): string {
  return text.replaceAll('PORT6', String(ipv6Target.port)).replaceAll('PORT', String(target.port));
}

function policyOf(entries: string) {
  return policyWith({ nameServers: [dns.address], allowlist: withPort(entries).split(', ') });
}
