import { expect, it } from 'vitest';
import { isKnownOlder } from '../../src/pipeline/incidents/releases/release-judgement.ts';
import { seededRandom } from '../support/seeded-random.ts';

/**
 * docs/contract/team-workflow.md 20, item 24: stragglers of the release in which an incident was resolved, and of those
 * before it, never regress it, in whatever order versions, meetings and signals come.
 */

const ORDERS = 1000;
const SET_AT_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

/** Releases in the order in which they were made: by version, by commit, or first one and then the other. */
function madeBy(random: ReturnType<typeof seededRandom>): string[] {
  const versions = Array.from({ length: 6 }, (_, n) => `1.${8 + n}.0${n === 2 ? '-rc.1' : ''}`);
  const commits = Array.from({ length: 6 }, () => random.integer(0x1000000, 0xfffffff).toString(16));
  return random.pick([versions, versions.map((version) => `shop@${version}`), commits]);
}

function shuffled<Item>(items: readonly Item[], random: ReturnType<typeof seededRandom>): Item[] {
  return items
    .map((item) => ({ item, place: random.integer(0, 1_000_000) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

it('signals of old releases leave an incident resolved in the next one, and those of later ones do not', () => {
  const random = seededRandom(24);
  for (let order = 0; order < ORDERS; order += 1) {
    const made = madeBy(random);
    const at = random.integer(1, made.length - 2);
    const afterVersion = made[at] ?? '';
    // A version decides by itself. Commits are ordered by their meeting, which is that of their making.
    const hasVersions = afterVersion.includes('.');
    const metAt = made.map((_, n) => SET_AT_MS + n * random.integer(1, 3) * DAY_MS);
    const meetings = hasVersions ? shuffled(metAt, random) : metAt.toSorted((a, b) => a - b);
    const recordOf = (version: string) => {
      const n = made.indexOf(version);
      return { version, firstAtMs: meetings[n] ?? null, releaseId: String(n).padStart(4, '0') };
    };
    const resolution = { kind: 'next_release', afterVersion, version: null, setAtMs: SET_AT_MS } as const;
    const judged = shuffled([...made, ...made], random).map((version) => ({
      version,
      isOlder: isKnownOlder(resolution, recordOf(version), SET_AT_MS + DAY_MS, recordOf),
    }));
    for (const { version, isOlder } of judged) {
      expect(isOlder, `order ${order}: ${version} after ${afterVersion}`).toBe(made.indexOf(version) <= at);
    }
  }
});
