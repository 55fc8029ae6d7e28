// Proves 38.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { api } from '@culprit/contract/endpoints/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import {
  createSide,
  type Outcome,
  operateAtRandom,
  readEverything,
  type Side,
  UUID,
} from './random-operations.ts';
import { openTheatre, type Theatre } from './stage.ts';

/**
 * docs/contract/reliability.md test 38: two organizations use every operation at random, with ids of their own and of
 * the other, and with events that have everything in common. Nothing of one is ever in an answer to the other.
 * `CULPRIT_TEST_SEED` repeats a run.
 */

const OPERATIONS = runSize('CULPRIT_TEST_OPERATIONS', { standard: 1500, long: 10_000 });
const SEED = chooseSeed();

describe(`two organizations beside each other, seed ${SEED}`, { timeout: 60_000 + 60 * OPERATIONS }, () => {
  let theatre: Theatre;
  let sides: readonly [Side, Side];
  const outcomes: Outcome[] = [];
  beforeAll(async () => {
    theatre = await openTheatre();
    sides = [await createSide(theatre, 'alpha'), await createSide(theatre, 'omega')];
  });
  afterAll(() => theatre?.stop());

  it(`${OPERATIONS} random operations answer nothing of the other, and nothing unexpected`, async () => {
    const random = seededRandom(SEED);
    for (let i = 0; i < OPERATIONS; i += 1) outcomes.push(await operateAtRandom(theatre, sides, random, i));
    expect(outcomes.flatMap(({ leaks }) => leaks)).toEqual([]);
    expect(outcomes.filter(({ status }) => status >= 500)).toEqual([]);
    const leaks = outcomes.flatMap((outcome) => outcome.leaks).length;
    recordFigure(38, `${OPERATIONS} operations, ${leaks} foreign (seed ${SEED})`);
    const trespasses = outcomes.filter(({ isForeign }) => isForeign);
    expect(trespasses.filter(({ status }) => status < 400)).toEqual([]);
    expect(trespasses.length).toBeGreaterThan(OPERATIONS / 10);
  });

  it('the operations were of nearly every kind, and most of them succeeded', () => {
    const succeeded = outcomes.filter(({ status, isForeign }) => status < 400 && !isForeign);
    expect(succeeded.length).toBeGreaterThan(OPERATIONS / 3);
    const kinds = new Set(succeeded.map(({ id }) => id));
    const expected = api.filter(({ auth }) => auth !== 'public').length * 0.8;
    expect(kinds.size).toBeGreaterThan(OPERATIONS < 1000 ? expected / 2 : expected);
  });

  it('both have incidents of the same grouping, and neither sees anything of the other in its own', async () => {
    await theatre.culprit.drain();
    const [alpha, omega] = sides;
    const seen = {
      alpha: await readEverything(theatre, alpha, omega),
      omega: await readEverything(theatre, omega, alpha),
    };
    expect([...seen.alpha.leaks, ...seen.omega.leaks]).toEqual([]);
    // Something was there to be seen: every side has its own mark all over its bundles and lists.
    for (const { marks, bundles, fingerprints } of [seen.alpha, seen.omega]) {
      expect(bundles).toBeGreaterThan(3);
      expect(marks).toBeGreaterThan(20);
      expect(fingerprints.size).toBeGreaterThan(3);
    }
    const shared = [...seen.alpha.fingerprints].filter((each) => seen.omega.fingerprints.has(each));
    expect(shared.length).toBeGreaterThan(2);
  });

  it('what is delivered to the webhooks of one tells nothing of the other', () => {
    const deliveries = theatre.receiver.received;
    const [alpha, omega] = sides;
    for (const [side, other] of [
      [alpha, omega],
      [omega, alpha],
    ] as const) {
      const own = deliveries.filter(({ path }) => side.uuids.has(path.replace('/proj_', '')));
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter(({ body }) => body.includes(other.mark))).toEqual([]);
      const uuids = own.flatMap(({ body }) => body.match(UUID) ?? []);
      expect(uuids.filter((uuid) => other.uuids.has(uuid))).toEqual([]);
    }
  });

  it('no mail names both', async () => {
    const [alpha, omega] = sides;
    const directory = theatre.culprit.mailDirectory;
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json'));
    const mails = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
    expect(mails.filter((mail) => mail.includes(alpha.mark)).length).toBeGreaterThan(0);
    expect(mails.filter((mail) => mail.includes(omega.mark)).length).toBeGreaterThan(0);
    expect(mails.filter((mail) => mail.includes(alpha.mark) && mail.includes(omega.mark))).toEqual([]);
  });
});
