import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { classifyAddress, isInRange, isSameAddress } from '../../src/platform/outbound/address-class.ts';
import { BLOCKED_ADDRESSES, PUBLIC_ADDRESSES } from './blocked-addresses.ts';

describe('the class of an address', () => {
  it.each(BLOCKED_ADDRESSES)('%s is not public', (address) => {
    expect(classifyAddress(address)).not.toBe('public');
  });

  it.each(PUBLIC_ADDRESSES)('%s is public', (address) => {
    expect(classifyAddress(address)).toBe('public');
  });

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2130706433',
    '256.0.0.1',
    '8.8.8.8 ',
    '8.8.8.8:80',
    '[::1]',
    '1::2::3',
    'fe80::1%eth0',
    '2606:4700::1%1',
  ])('%j is no address, and closed', (text) => {
    expect(classifyAddress(text)).toBe('closed');
  });

  it('every IPv4 address is public exactly when a second judge says so', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const isPlatformService = address === '168.63.129.16';
        expect(classifyAddress(address) === 'public').toBe(
          ipaddr.parse(address).range() === 'unicast' && !isPlatformService,
        );
      }),
      { numRuns: 5000 },
    );
  });

  it('every IPv6 address that is public is so for a second judge, or is public IPv4 inside', () => {
    fc.assert(
      fc.property(ipv6, (groups) => {
        const address = groups.map((group) => group.toString(16)).join(':');
        const parsed = new ipaddr.IPv6(groups);
        const isGlobal = ((groups[0] ?? 0) & 0xe000) === 0x2000;
        const isExpected =
          parsed.range() === 'unicast'
            ? isGlobal
            : isTranslated(groups) && isPublicIpv4(parsed.toByteArray());
        expect(classifyAddress(address) === 'public').toBe(isExpected);
      }),
      { numRuns: 20_000 },
    );
  });

  it('an IPv4 address has the same class when IPv6 only wraps it', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const addressClass = classifyAddress(address);
        expect(classifyAddress(`::ffff:${address}`)).toBe(addressClass);
        expect(classifyAddress(`64:ff9b::${address}`)).toBe(addressClass);
        expect(classifyAddress(`::${address}`)).not.toBe('public');
        expect(classifyAddress(`::ffff:0:${address}`)).not.toBe('public');
      }),
      { numRuns: 5000 },
    );
  });
});

describe('addresses compared', () => {
  it('knows an address in each of its forms', () => {
    expect(isSameAddress('::1', '0:0:0:0:0:0:0:1')).toBe(true);
    expect(isSameAddress('::ffff:127.0.0.1', '127.0.0.1')).toBe(true);
    expect(isSameAddress('127.0.0.1', '127.0.0.2')).toBe(false);
    expect(isSameAddress('::127.0.0.1', '127.0.0.1')).toBe(false);
    expect(isSameAddress('', '')).toBe(false);
  });

  it('knows the ends of a range', () => {
    expect(['10.0.0.0', '10.0.0.127'].every((address) => isInRange(address, '10.0.0.5', 25))).toBe(true);
    expect(['9.255.255.255', '10.0.0.128', '::1'].some((address) => isInRange(address, '10.0.0.5', 25))).toBe(
      false,
    );
    expect(isInRange('::ffff:10.0.0.5', '10.0.0.0', 8)).toBe(true);
    expect(isInRange('fd00::5', 'fd00::', 64)).toBe(true);
    expect(isInRange('fd00:0:0:1::5', 'fd00::', 64)).toBe(false);
  });
});

/** Half of them near a special range. */
const ipv4 = fc
  .tuple(
    fc.constantFrom(0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 240, 255, 8, 93),
    fc.oneof(fc.constantFrom(0, 2, 16, 18, 31, 51, 52, 63, 64, 88, 100, 168, 175, 254), fc.nat(255)),
    fc.oneof(fc.constantFrom(0, 2, 48, 99, 100, 113, 129, 169, 193, 196), fc.nat(255)),
    fc.nat(255),
  )
  .map((parts) => parts.join('.'));

const group = fc.oneof(fc.constantFrom(0, 0, 0, 1, 0xffff, 0x7f00, 0xa9fe, 0x808), fc.nat(0xffff));
const ipv6 = fc
  .tuple(
    fc.constantFrom(
      0,
      0x64,
      0x100,
      0x2001,
      0x2002,
      0x2620,
      0x2606,
      0x3fff,
      0x5f00,
      0xfc00,
      0xfe80,
      0xff02,
      0x4000,
    ),
    fc.oneof(fc.constantFrom(0, 0, 0x4f, 0xff9b, 0xdb8, 0x1ff, 0x200), fc.nat(0xffff)),
    fc.oneof(fc.constantFrom(0, 0, 1, 0x8000), fc.nat(0xffff)),
    group,
    group,
    group,
    group,
    group,
  )
  .map((groups): number[] => [...groups]);

/** `::ffff:0:0/96` and `64:ff9b::/96`. */
function isTranslated(groups: readonly number[]): boolean {
  const prefix = groups.slice(0, 6).join();
  return prefix === [0, 0, 0, 0, 0, 0xffff].join() || prefix === [0x64, 0xff9b, 0, 0, 0, 0].join();
}

function isPublicIpv4(bytes: readonly number[]): boolean {
  const address = bytes.slice(12).join('.');
  return ipaddr.parse(address).range() === 'unicast' && address !== '168.63.129.16';
}
