// Proves 33.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import { type GuardedResult, sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { type Canaries, startCanaries } from '../support/canaries.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type HttpTarget, startHttpTarget } from '../support/http-target.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

const BLOCKED = { kind: 'failed', word: 'target_blocked', errorKind: 'address_blocked' };

describe('names that change or lie', () => {
  let dns: DnsServer;
  let canaries: Canaries;

  beforeAll(async () => {
    dns = await startDnsServer();
    canaries = await startCanaries([80, 443]);
  });
  afterAll(async () => {
    expect(canaries.connections).toEqual([]);
    await canaries.close();
    await dns.close();
  });

  // N-44
  it.each(['127.0.0.1', '10.0.0.1', '::1', '169.254.169.254'])(
    'a name that was public when it was checked, and leads to %s when it is called, is refused',
    async (address) => {
      const policy = policyWith({ nameServers: [dns.address] });
      dns.set('rebinding.example.com', { addresses: ['93.184.216.34'] }, { addresses: [address] });
      const url = 'https://rebinding.example.com/in';
      expect(await checkTarget(url, policy)).toBe('allowed');
      expect(await sendGuarded(policy, deliveryTo(url))).toMatchObject(BLOCKED);
      expect(await sendGuarded(policy, checkOf(url))).toMatchObject(BLOCKED);
    },
  );

  it('asks for every request anew: nothing is remembered of a look-up', async () => {
    const policy = policyWith({ nameServers: [dns.address] });
    dns.set('remembered.example.com', { addresses: ['127.0.0.1'] });
    const before = dns.questions.length;
    for (let round = 0; round < 3; round += 1) {
      await sendGuarded(policy, deliveryTo('https://remembered.example.com/'));
    }
    expect(dns.questions.slice(before)).toEqual(Array(6).fill('remembered.example.com'));
  });

  it.each([
    ['a public address first', ['93.184.216.34', '127.0.0.1']],
    ['a private address first', ['10.0.0.1', '93.184.216.34']],
    ['one private address among many', [...publicAddresses(20), '192.168.1.1', ...publicAddresses(9)]],
    ['a private one among those of IPv6', ['93.184.216.34', '2606:4700::1', 'fd00::1']],
    ['an IPv6 address that wraps a private one', ['93.184.216.34', '::ffff:10.0.0.1']],
    ['a public IPv6 address and a private IPv4 one', ['2606:4700::1', '172.16.0.1']],
  ])('N-44 mixed answers are refused: %s', async (_what, addresses) => {
    const policy = policyWith({ nameServers: [dns.address] });
    dns.set('mixed.example.com', { addresses });
    const url = 'https://mixed.example.com/in';
    expect(await sendGuarded(policy, deliveryTo(url))).toMatchObject(BLOCKED);
    expect(await sendGuarded(policy, checkOf(url))).toMatchObject(BLOCKED);
    expect(await checkTarget(url, policy)).toBe('blocked');
  });

  it('refuses an alias of a name inside', async () => {
    const policy = policyWith({ nameServers: [dns.address] });
    dns.set('alias.example.com', { addresses: ['10.0.0.7'], alias: 'db.internal' });
    expect(await sendGuarded(policy, deliveryTo('https://alias.example.com/'))).toMatchObject(BLOCKED);
    expect(await checkTarget('https://alias.example.com/', policy)).toBe('blocked');
  });
});

describe('redirects', () => {
  let dns: DnsServer;
  let canaries: Canaries;
  let target: HttpTarget;

  beforeAll(async () => {
    dns = await startDnsServer();
    canaries = await startCanaries([80, 443]);
    target = await startHttpTarget({
      answer: ({ url }, response) => {
        const { pathname, searchParams } = new URL(url, 'http://target.test');
        const to = pathname === '/loop' ? '/loop' : searchParams.get('to');
        if (to === null) {
          response.end(`answer of ${pathname}`);
          return;
        }
        response.writeHead(Number(pathname.slice(1)) || 302, { location: to }).end();
      },
    });
  });
  afterAll(async () => {
    expect(canaries.connections).toEqual([]);
    await target.close();
    await canaries.close();
    await dns.close();
  });

  function policy() {
    return policyWith({ nameServers: [dns.address], allowlist: [`127.0.0.1:${target.port}`] });
  }

  function redirectTo(location: string, status = 302): string {
    return `http://127.0.0.1:${target.port}/${status}?to=${encodeURIComponent(location)}`;
  }

  it.each([
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'http://127.0.0.1/',
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://2130706433/',
    'http://localhost/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://169.254.169.254/latest/meta-data/',
    'https://user:pw@hooks.example.com/',
    'http://hooks.example.com:8080/',
    '//127.0.0.1/',
    '\\\\127.0.0.1\\',
    'http://inside.example.com/',
    'https://inside.example.com/',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://127.0.0.1:80/_x',
    'http://',
    'http://[::1/',
  ])('A-45 a hop to %s is refused and not called', async (location) => {
    dns.set('inside.example.com', { addresses: ['10.0.0.1'] });
    for (const status of [301, 302, 303, 307, 308]) {
      const result = await sendGuarded(policy(), checkOf(redirectTo(location, status)));
      expect(result).toMatchObject({
        kind: 'failed',
        word: 'target_blocked',
        errorKind: 'redirect_target_blocked',
      });
    }
  });

  //
  it('five redirects are followed, six are too many', async () => {
    const end = `http://127.0.0.1:${target.port}/end`;
    const five = redirectTo(redirectTo(redirectTo(redirectTo(redirectTo(end), 301), 307)), 308);
    expect(await sendGuarded(policy(), checkOf(five))).toMatchObject({
      kind: 'answered',
      status: 200,
      finalUrl: end,
      redirectCount: 5,
      body: Buffer.from('answer of /end'),
    });
    expect(await sendGuarded(policy(), checkOf(redirectTo(five)))).toMatchObject({
      kind: 'failed',
      errorKind: 'too_many_redirects',
      redirectCount: 5,
    });
  });

  it('stops at a loop', async () => {
    const before = target.requests.length;
    const result = await sendGuarded(policy(), checkOf(`http://127.0.0.1:${target.port}/loop`));
    expect(result).toMatchObject({ kind: 'failed', errorKind: 'too_many_redirects' });
    expect(target.requests.length - before).toBe(6);
  });

  it('follows a relative address, and drops the fragment', async () => {
    const result = await sendGuarded(policy(), checkOf(redirectTo('/end#part')));
    expect(result).toMatchObject({ kind: 'answered', finalUrl: `http://127.0.0.1:${target.port}/end` });
  });

  it('judges the second hop like the first', async () => {
    const result = await sendGuarded(policy(), checkOf(redirectTo(redirectTo('http://10.0.0.1/'))));
    expect(result).toMatchObject({ errorKind: 'redirect_target_blocked', redirectCount: 1 });
  });

  // N-38
  it('a delivery follows none: the 3xx is its answer, whatever the redirect leads to', async () => {
    const elsewhere = `http://127.0.0.1:${target.port}/elsewhere`;
    const before = target.requests.length;
    for (const location of [elsewhere, 'http://10.0.0.1/', 'http://127.0.0.1/']) {
      for (const redirects of ['refuse', { max: 3 }] as const) {
        const result = await sendGuarded(policy(), deliveryTo(redirectTo(location, 307), { redirects }));
        expect(result).toMatchObject({ kind: 'answered', status: 307, redirectCount: 0 });
      }
    }
    const paths = target.requests.slice(before).map(({ url }) => url.split('?')[0]);
    expect(paths).toEqual(Array(6).fill('/307'));
  });

  it('takes a 3xx without a location as the answer', async () => {
    const bare = await startHttpTarget({ answer: (_request, response) => response.writeHead(304).end() });
    const open = policyWith({ allowlist: ['127.0.0.1'] });
    const result: GuardedResult = await sendGuarded(open, checkOf(`http://127.0.0.1:${bare.port}/`));
    expect(result).toMatchObject({ kind: 'answered', status: 304 });
    await bare.close();
  });
});

function publicAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `93.184.216.${index + 1}`);
}
