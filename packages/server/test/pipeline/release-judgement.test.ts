import { describe, expect, it } from 'vitest';
import { isKnownOlder, RELEASE_AWAITED_MS } from '../../src/pipeline/incidents/releases/release-judgement.ts';

const SET_AT_MS = 1_700_000_000_000;

function record(version: string, firstAtMs: number | null) {
  return { version, firstAtMs, releaseId: firstAtMs === null ? null : `id of ${version}` };
}

describe('a signal of an incident that is resolved in a named release', () => {
  const late = SET_AT_MS + RELEASE_AWAITED_MS;
  it.each([
    ['a commit before one that is awaited is older', 'feed5ee', null, 'c0ffee1', SET_AT_MS, late - 1, true],
    ['a commit is not older than one that never came', 'feed5ee', null, 'c0ffee1', SET_AT_MS, late, false],
    ['a lower number is older for ever', '1.4.2', null, '1.4.1', SET_AT_MS, late, true],
    ['a higher number is later at once', '1.4.2', null, '1.5.0', SET_AT_MS, SET_AT_MS + 1, false],
    ['a commit met before a recorded one is older', 'feed5ee', 2, 'c0ffee1', 1, late, true],
    ['a commit without a record is not older', 'feed5ee', null, 'c0ffee1', null, SET_AT_MS + 1, false],
  ] as const)('%s', (_, version, targetFirstAtMs, release, firstAtMs, receivedAtMs, isOlder) => {
    const resolution = { kind: 'release', afterVersion: null, version, setAtMs: SET_AT_MS } as const;
    expect(
      isKnownOlder(resolution, record(release, firstAtMs), receivedAtMs, (named) =>
        record(named, targetFirstAtMs),
      ),
    ).toBe(isOlder);
  });
});
