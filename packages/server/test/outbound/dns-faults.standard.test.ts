// Proves 16.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

const URL_ASKED = 'https://status.example.com/health';

let dns: DnsServer;
let deadAddress: string;

beforeAll(async () => {
  dns = await startDnsServer();
  const dead = await startDnsServer();
  deadAddress = dead.address;
  await dead.close();
});
afterAll(() => dns.close());

describe('DNS that is dead, slow or empty', () => {
  it.each([
    ['a server that is not there', null, 'dns_failed'],
    ['a server that says nothing', 'silent', 'dns_failed'],
    ['a server that is too slow', { addresses: ['93.184.216.34'], delayMs: 60_000 }, 'dns_failed'],
    ['a server that fails', 'servfail', 'dns_failed'],
    ['a server that refuses', 'refused', 'dns_failed'],
    ['a server that talks nonsense', 'garbage', 'dns_failed'],
    ['a name that does not exist', 'nxdomain', 'dns_no_answer'],
    ['a name without addresses', 'empty', 'dns_no_answer'],
    ['an alias to nothing', { addresses: [], alias: 'gone.example.com' }, 'dns_no_answer'],
  ] as const)(
    '%s gives a fixed word while nothing answers, and is accepted when a check is made',
    async (_what, behaviour, errorKind) => {
      if (behaviour !== null) dns.set('status.example.com', behaviour);
      const policy = policyWith({ nameServers: [behaviour === null ? deadAddress : dns.address] });
      const [delivery, check, created] = await Promise.all([
        sendGuarded(policy, deliveryTo(URL_ASKED)),
        sendGuarded(policy, checkOf(URL_ASKED)),
        checkTarget(URL_ASKED, policy),
      ]);
      expect(delivery).toMatchObject({ kind: 'failed', word: 'dns_error', errorKind });
      expect(check).toMatchObject({ kind: 'failed', word: 'dns_error', errorKind });
      expect(created).toBe('unresolved');
    },
  );

  it('many silent servers are not asked without end', async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, startDnsServer));
    for (const server of servers) server.set('status.example.com', 'silent');
    const policy = policyWith({ nameServers: servers.map(({ address }) => address) });
    expect(await sendGuarded(policy, checkOf(URL_ASKED))).toMatchObject({ errorKind: 'dns_failed' });
    await Promise.all(servers.map((server) => server.close()));
  });

  it('a request with less time than a look-up may take ends as timeout', async () => {
    dns.set('status.example.com', 'silent');
    const policy = policyWith({ nameServers: [dns.address] });
    const result = await sendGuarded(policy, checkOf(URL_ASKED, { timeoutMs: 500 }));
    expect(result).toMatchObject({ kind: 'failed', word: 'timeout', errorKind: 'timeout' });
  });

  it('blocks nothing else: files and good names are served while forty look-ups hang', async () => {
    dns.set('status.example.com', 'silent');
    dns.set('good.example.com', { addresses: ['93.184.216.34'] });
    const policy = policyWith({ nameServers: [dns.address] });
    let settled = 0;
    const hanging = Array.from({ length: 40 }, () =>
      checkTarget(URL_ASKED, policy).finally(() => {
        settled += 1;
      }),
    );
    await readFile(fileURLToPath(import.meta.url));
    expect(await checkTarget('https://good.example.com/', policy)).toBe('allowed');
    expect(settled).toBe(0);
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['unresolved']));
  });

  it('one family without an answer does not hide the other', async () => {
    const policy = policyWith({ nameServers: [dns.address] });
    dns.set('four.example.com', { addresses: ['93.184.216.34'] });
    dns.set('six.example.com', { addresses: ['2606:4700::1'] });
    dns.set('private-six.example.com', { addresses: ['fd00::1'] });
    dns.set('slow.example.com', { addresses: ['93.184.216.34'], delayMs: 300 });
    expect(await checkTarget('https://four.example.com/', policy)).toBe('allowed');
    expect(await checkTarget('https://six.example.com/', policy)).toBe('allowed');
    expect(await checkTarget('https://private-six.example.com/', policy)).toBe('blocked');
    expect(await checkTarget('https://slow.example.com/', policy)).toBe('allowed');
  });
});
