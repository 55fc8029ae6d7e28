import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressMatcher } from '../../src/platform/http/binding/address-matcher.ts';
import { clientKey } from '../../src/platform/http/limits/client-key.ts';
import { plainAddress } from '../../src/platform/http/server/client-address.ts';
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
    ['_hidden', 'unknown'],
    ['203.0.113.7:443', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:CB00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '203.0.113.7'],
  ])('of %s is %s', (address, key) => {
    expect(clientKey(address)).toBe(key);
  });
});

describe('an address as a proxy writes it', () => {
  it.each([
    // Azure's application gateway, IIS, AWS with `client_port`
    ['203.0.113.20:5000', '203.0.113.20'],
    [' 203.0.113.20:65535 ', '203.0.113.20'],
    ['203.0.113.20:', '203.0.113.20'],
    ['"203.0.113.20:5000"', '203.0.113.20'],
    ['[203.0.113.20]:5000', '203.0.113.20'],
    ['::ffff:203.0.113.20', '203.0.113.20'],
    ['[::FFFF:203.0.113.20]:443', '203.0.113.20'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['"[2001:db8:0:0::1]"', '2001:db8::1'],
    ['[::1]', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['2001:db8:0:0:0:0:0:1:443', '2001:db8::1'],
    ['', null],
    ['""', null],
    ['unknown', null],
    ['_hidden', null],
    ['_hidden:80', null],
    ['for=203.0.113.20', null],
    ['203.0.113.20:5000:1', null],
    ['203.0.113.20:http', null],
    ['203.0.113.256', null],
    ['0x7f.1', null],
    ['2130706433', null],
    ['[203.0.113.20', null],
    ['[]', null],
    ['[::1]x', null],
    ['1.2.3.4 5.6.7.8', null],
    ['localhost', null],
    [`${' '.repeat(200)}203.0.113.20`, null],
  ])('%j is %s', (text, address) => {
    expect(plainAddress(text)).toBe(address);
  });
});

describe('a trusted range', () => {
  const isProxy = addressMatcher(['10.0.0.0/8', '::ffff:192.168.0.0/112', '2001:DB8:FFFF::/48', 'fe80::1']);
  it.each([
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '::ffff:a01:203',
    '192.168.3.4',
    '::ffff:192.168.3.4',
    '2001:db8:ffff::9',
    'fe80::1%eth0',
  ])('contains %s', (address) => expect(isProxy(address)).toBe(true));
  it.each(['11.1.2.3', '192.169.3.4', '2001:db8::9', 'unknown', ''])('does not contain %j', (address) =>
    expect(isProxy(address)).toBe(false),
  );
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

  it('a client is its address, whatever port, brackets and quotation marks surround it', async () => {
    for (const first of [
      '203.0.113.20:5000',
      '203.0.113.21:5001',
      '[2001:db8:1::1]:443',
      '::ffff:203.0.113.22',
    ]) {
      expect([first, await statusOf(culprit, first)]).toEqual([first, 400]);
    }
    for (const again of ['203.0.113.20:5009', '"203.0.113.21"', '2001:DB8:1::2', '[::FFFF:203.0.113.22]:1']) {
      expect([again, await statusOf(culprit, again)]).toEqual([again, 429]);
    }
  });

  it('a proxy that is named with its port is a proxy all the same', async () => {
    expect(await statusOf(culprit, '203.0.113.1:5000, 10.0.0.1:41234')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.1:5001, [2001:db8:ffff::1]:41235, ::ffff:10.0.0.2')).toBe(429);
    expect(await statusOf(culprit, '203.0.113.2:5001,, 10.0.0.1:41234, ,')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.2')).toBe(429);
  });

  it('a client that a proxy cannot name counts as that proxy, not as what stands further left', async () => {
    expect(await statusOf(culprit, '203.0.113.1, unknown')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.2, _hidden')).toBe(429);
    expect(await statusOf(culprit, '203.0.113.3, unknown, 10.0.0.7:80')).toBe(400);
    expect(await statusOf(culprit, '203.0.113.4, , unknown, 10.0.0.7:81')).toBe(429);
    expect(await statusOf(culprit, '203.0.113.1')).toBe(400);
  });

  it('no other header names a client', async () => {
    const ask = (headers: Record<string, string>) =>
      verifyCode(culprit.url, 'dev@example.test', '123456', { headers }).then(({ status }) => status);
    expect(await ask({ forwarded: 'for=203.0.113.31' })).toBe(400);
    expect(await ask({ forwarded: 'for=203.0.113.32' })).toBe(429);
    expect(await ask({ 'x-real-ip': '203.0.113.33', 'cf-connecting-ip': '203.0.113.33' })).toBe(429);
  });

  it('clients of one IPv6 network are one', async () => {
    expect(await statusOf(culprit, '2001:db8:1:2::1')).toBe(400);
    expect(await statusOf(culprit, '2001:db8:1:2:ffff::2')).toBe(429);
    expect(await statusOf(culprit, '2001:db8:1:3::1')).toBe(400);
  });
});
