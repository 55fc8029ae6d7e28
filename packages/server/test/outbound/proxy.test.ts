import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { type HttpTarget, startHttpTarget } from '../support/http-target.ts';
import { asHost, BLOCKED_ADDRESSES, BLOCKED_HOSTS } from './blocked-addresses.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

const CREDENTIALS = `Basic ${Buffer.from('culprit:p@ss').toString('base64')}`;

let dns: DnsServer;
let proxy: ForwardProxy;
let tlsProxy: ForwardProxy;
let secure: HttpTarget;
let plain: HttpTarget;

beforeAll(async () => {
  const authority = createCertificateAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
  dns = await startDnsServer();
  secure = await startHttpTarget({ certificate: authority.issue(['hooks.example.com']) });
  plain = await startHttpTarget({
    answer: ({ url }, response) =>
      url === '/moved'
        ? response.writeHead(302, { location: 'http://10.0.0.1/' }).end()
        : response.end('here'),
  });
  const portOf = (host: string) => (host.startsWith('status') ? plain.port : secure.port);
  proxy = await startForwardProxy(portOf);
  tlsProxy = await startForwardProxy(portOf, authority.issue(['localhost']));
});
afterAll(async () => {
  setDefaultCACertificates(getCACertificates('bundled'));
  await Promise.all([proxy.close(), tlsProxy.close(), secure.close(), plain.close(), dns.close()]);
});
beforeEach(() => {
  proxy.refuseWith(null);
  proxy.requests.splice(0);
});

function policy() {
  const proxyUrl = new Secret(`http://culprit:p%40ss@127.0.0.1:${proxy.port}`);
  return policyWith({ proxyUrl, nameServers: [dns.address] });
}

describe("the operator's proxy", () => {
  it('carries https in a tunnel, with the certificate checked behind it', async () => {
    const result = await sendGuarded(policy(), deliveryTo('https://hooks.example.com/in'));
    expect(result).toMatchObject({ kind: 'answered', status: 200 });
    expect(proxy.requests).toEqual([{ line: 'CONNECT hooks.example.com:443', credentials: CREDENTIALS }]);
    expect(secure.requests.at(-1)?.headers).not.toHaveProperty('proxy-authorization');
    const wrongName = await sendGuarded(policy(), deliveryTo('https://other.example.com/in'));
    expect(wrongName).toMatchObject({ kind: 'failed', word: 'tls_error' });
  });

  it('may itself be reached over TLS, when its certificate is valid', async () => {
    const through = (host: string) =>
      policyWith({ proxyUrl: new Secret(`https://${host}:${tlsProxy.port}`) });
    const https = await sendGuarded(through('localhost'), deliveryTo('https://hooks.example.com/in'));
    const http = await sendGuarded(through('localhost'), checkOf('http://status.example.com/'));
    expect([https, http]).toMatchObject([{ status: 200 }, { status: 200, body: Buffer.from('here') }]);
    const wrongName = await sendGuarded(through('127.0.0.1'), deliveryTo('https://hooks.example.com/in'));
    expect(wrongName).toMatchObject({ kind: 'failed', word: 'tls_error' });
    expect(tlsProxy.requests.map(({ line }) => line)).toEqual([
      'CONNECT hooks.example.com:443',
      'GET http://status.example.com/',
    ]);
  });

  it('is asked for http by the whole address', async () => {
    const result = await sendGuarded(policy(), checkOf('http://status.example.com/health?a=b#part'));
    expect(result).toMatchObject({ kind: 'answered', status: 200, body: Buffer.from('here') });
    expect(proxy.requests).toEqual([
      { line: 'GET http://status.example.com/health?a=b', credentials: CREDENTIALS },
    ]);
    expect(plain.requests.at(-1)).toMatchObject({
      url: '/health?a=b',
      headers: { host: 'status.example.com' },
    });
  });

  it('looks names up itself: nobody else is asked for them', async () => {
    const before = dns.questions.length;
    await sendGuarded(policy(), checkOf('http://status.example.com/'));
    expect(await checkTarget('https://unknown.example.com/', policy())).toBe('allowed');
    expect(dns.questions.length).toBe(before);
  });

  it('is never asked for an address that is blocked as written, also after a redirect', async () => {
    for (const host of [...BLOCKED_ADDRESSES.map(asHost), ...BLOCKED_HOSTS]) {
      const result = await sendGuarded(policy(), checkOf(`https://${host}/`));
      expect(result).toMatchObject({ kind: 'failed', errorKind: 'address_blocked' });
    }
    expect(proxy.requests).toEqual([]);
    const moved = await sendGuarded(policy(), checkOf('http://status.example.com/moved'));
    expect(moved).toMatchObject({ kind: 'failed', errorKind: 'redirect_target_blocked' });
    expect(proxy.requests).toHaveLength(1);
  });

  it.each([
    [403, 'target_blocked'],
    [407, 'connection_error'],
    [502, 'connection_error'],
  ] as const)('that answers %d makes a delivery %s', async (status, word) => {
    proxy.refuseWith(status);
    const result = await sendGuarded(policy(), deliveryTo('https://hooks.example.com/in'));
    expect(result).toMatchObject({ kind: 'failed', word });
  });

  it('that is not there is a broken connection', async () => {
    const gone = await startHttpTarget();
    await gone.close();
    const proxyUrl = new Secret(`http://127.0.0.1:${gone.port}`);
    const result = await sendGuarded(policyWith({ proxyUrl }), deliveryTo('https://hooks.example.com/in'));
    expect(result).toMatchObject({ kind: 'failed', word: 'connection_error' });
  });

  it('is left out for receivers on this machine', async () => {
    const local = { ...policy(), isLoopbackAllowed: true };
    const result = await sendGuarded(local, deliveryTo(`http://localhost:${plain.port}/in`));
    expect(result).toMatchObject({ kind: 'answered', status: 200 });
    expect(proxy.requests).toEqual([]);
  });
});
