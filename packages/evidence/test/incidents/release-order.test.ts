import { describe, expect, it } from 'vitest';
import { isLaterRelease, latestRelease } from '../../src/incidents/release-order.ts';

/** Each met a minute after the one before, so the order of meeting is that of the list. */
function met(...versions: string[]) {
  return versions.map((version, at) => ({ version, firstAtMs: at * 60_000, releaseId: String(at) }));
}

describe('the order of releases', () => {
  it.each([
    ['1.10.0', '1.9.0'],
    ['1.10.0', '1.10.0-rc.1'],
    ['1.10.0-rc.10', '1.10.0-rc.9'],
    ['1.10.0-rc.1', '1.10.0-beta.9'],
    ['1.10.0-rc.1.1', '1.10.0-rc.1'],
    ['1.10.0-rc', '1.10.0-1'],
    ['v2.0.0', '1.99.99'],
    ['2.0', 'v1.9.9'],
    ['1.2.1', '1.2'],
    ['shop@1.10.0', 'shop@1.9.0'],
    ['@acme/shop@1.10.0', '@acme/shop@v1.9.0'],
    ['4.18.3.2', '4.18.3.1'],
    ['1.99999999999999999999', '1.9999999999999999999'],
    ['2026.11.02', '2026.09.30'],
  ])('%s is later than %s, whichever was met first', (later, earlier) => {
    for (const versions of [
      [later, earlier],
      [earlier, later],
    ]) {
      const releases = met(...versions);
      const of = (version: string) => {
        const release = releases.find((each) => each.version === version);
        if (release === undefined) throw new Error(`${version} is missing`);
        return release;
      };
      expect(isLaterRelease(of(later), of(earlier))).toBe(true);
      expect(isLaterRelease(of(earlier), of(later))).toBe(false);
      expect(latestRelease(releases)?.version).toBe(later);
    }
  });

  it.each([
    ['a1b2c3d', '0f00baa'],
    ['20260102', '20260101'],
    ['1.0.0+2', '1.0.0+1'],
    ['1.0', 'v1.0.0'],
    ['web@1.0.0', 'api@2.0.0'],
    ['2.0.0', 'web@1.0.0'],
    ['nightly', '1.0.0'],
    ['@1.0.0', '2.0.0'],
    ['1.0.0@', '2.0.0'],
  ])('%s and %s are in the order in which they were met', (a, b) => {
    for (const [first, second] of [
      [a, b],
      [b, a],
    ] as const) {
      const [earlier, later] = met(first, second);
      if (earlier === undefined || later === undefined) throw new Error('two are met');
      expect(isLaterRelease(later, earlier)).toBe(true);
      expect(isLaterRelease(earlier, later)).toBe(false);
    }
  });

  it('is by id where two were met at once, and open where one was never met', () => {
    const at = { firstAtMs: 1, releaseId: '1' };
    expect(isLaterRelease({ version: 'b', firstAtMs: 1, releaseId: '2' }, { version: 'a', ...at })).toBe(
      true,
    );
    expect(isLaterRelease({ version: 'b', firstAtMs: null, releaseId: null }, { version: 'a', ...at })).toBe(
      null,
    );
    expect(isLaterRelease({ version: 'a', ...at }, { version: 'a', ...at })).toBe(false);
  });
});
