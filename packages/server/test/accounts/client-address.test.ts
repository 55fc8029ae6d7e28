import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientKey } from '../../src/platform/http/client-key.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { verifyCode } from '../support/sign-in.ts';

/** Whom a limit counts (docs/contract/account.md 2.8). */

describe('the key of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['', 'unknown'],
    ['unknown', 'unknown'],
    ['203.0.113.7:443', 'unknown'],
    ['_hidden', 'unknown'],
  ])('of %s is %s', (address, key) => {
    expect(clientKey(address)).toBe(key);
  });
});

function statusOf(culprit: TestCulprit, forwarded?: string): Promise<number> {
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return verifyCode(culprit.url, 'dev@example.test', '123456', { headers }).then(({ status }) => status);
}

describe('a client that claims to come from elsewhere', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false, signIn: { requestsPerMinute: 2 } });
  });
  afterAll(() => culprit.stop());

  it('is known by its own address', async () => {
    expect(await statusOf(culprit, '203.0.113.1')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.2')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.3')).toBe(429);
    expect(await statusOf(culprit, '127.0.0.1, 10.0.0.1')).toBe(429);
  });
});

describe('behind a trusted proxy', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({
      hasWorker: false,
      signIn: { requestsPerMinute: 1 },
      trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'],
    });
  });
  beforeEach(() => culprit.database.script('truncate sign_in_rates'));
  afterAll(() => culprit.stop());

  it('a client is who the proxy names', async () => {
    expect(await statusOf(culprit, '203.0.113.1')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.1')).toBe(429);
    expect(await statusOf(culprit, '203.0.113.2')).toBe(400);
  });

  it('a client is the right-most address that is no proxy, whatever it wrote before', async () => {
    expect(await statusOf(culprit, '203.0.113.1')).toBe(400);
    for (const forged of [
      '198.51.100.1, 203.0.113.1',
      '10.0.0.9, 203.0.113.1',
      '198.51.100.2, 203.0.113.1, 10.1.2.3',
      '198.51.100.3,203.0.113.1,10.1.2.3 , 2001:db8:ffff::5',
      'garbage, 203.0.113.1',
    ]) {
      expect([forged, await statusOf(culprit, forged)]).toEqual([forged, 429]);
    }
    expect(await statusOf(culprit, '203.0.113.1, 198.51.100.1')).toBe(400);
  });

  it('clients of one IPv6 network are one', async () => {
    expect(await statusOf(culprit, '2001:db8:1:2::1')).toBe(400);
    expect(await statusOf(culprit, '2001:db8:1:2:ffff::2')).toBe(429);
    expect(await statusOf(culprit, '2001:db8:1:3::1')).toBe(400);
  });
});
