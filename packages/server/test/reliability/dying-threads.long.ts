// Proves 9.
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { createEventLedger, KEPT, ledgerEvent, readCountedEvents, type SentEvent } from './event-ledger.ts';
import { type HookedWorker, startHookedWorker } from './hooked-worker.ts';
import { findLeftOverWork } from './left-over-work.ts';
import type { AnnouncedDeath } from './mortal-database.ts';
import { BUNDLE_POISON } from './poison-fingerprint.ts';

/**
 * docs/contract/reliability.md test 2 with real threads: one ends in the middle of its work, its process notices and
 * goes on with another.
 */

/** Steps on the way from a claim to a stored bundle; the names are those of the statements. */
const STEPS = [
  'query jobs-claim',
  'begin',
  'statement batches-mark',
  'statement event-ids-known',
  'statement incidents-insert',
  'statement events-insert',
  'statement bundles-request',
  'statement jobs-finish',
  'commit',
  'query bundle-find',
  'query bundle-incident',
  'statement bundle-store',
] as const;
const DEATHS = runSize('CULPRIT_TEST_DEATHS', { standard: 8, long: 60 });
const RETRY_SCALE = 0.01;
/** What is done within this was not done by waiting for a lease. */
const BEFORE_LEASE_ENDS_MS = (LEASE_SECONDS - 5) * 1000;
const SEED = chooseSeed();

describe(`${DEATHS} deaths of worker threads (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let culprit: TestCulprit;
  let worker: HookedWorker;
  let directory: string;
  let leasesPassed = 0;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    directory = await mkdtemp(join(tmpdir(), 'culprit-deaths-'));
    worker = await startHookedWorker(culprit, {
      duties: ['events', 'bundles'],
      retryScale: RETRY_SCALE,
      deathFile: join(directory, 'death'),
    });
  });
  afterAll(async () => {
    await worker?.kill();
    await culprit?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('lose nothing and count nothing twice, and hardly any waits for a lease', {
    timeout: 30_000 + DEATHS * (BEFORE_LEASE_ENDS_MS + 5000),
  }, async () => {
    for (let death = 0; death < DEATHS; death += 1) {
      const announced: AnnouncedDeath = { step: random.pick(STEPS), isLate: random.chance(0.5) };
      const outcome = await surviveDeath(announced);
      expect({ announced, ...outcome }).toEqual({ announced, hasDied: true, verdict: KEPT, stuck: {} });
    }
  });

  it('are brought about for a thread that stands still outside events, so that others get their bundles', {
    timeout: 120_000,
  }, async () => {
    const [poisoned, healthy] = [await culprit.createProject(), await culprit.createProject()];
    const poison = ledgerEvent(newUuid(), 'alpha', true);
    await accept(poisoned, [
      {
        ...poison,
        body: { ...poison.body, payload: { name: BUNDLE_POISON, message: 'poison', stack: null } },
      },
    ]);
    await eventually(async () => {
      const held = `jobs where fairness_key = $1 and lane = $2 and leased_until is not null`;
      expect(await countRows(culprit, held, [idOf(poisoned), BUNDLES_LANE])).toBe(1);
    });
    await accept(healthy, [ledgerEvent(newUuid(), 'alpha', true)]);
    // Its thread is given 20 s, less than a lease.
    await eventually(async () => {
      // What it is searched by has its turn after all bundles, so perhaps after the poison.
      const { jobs: _jobs, ...left } = await findLeftOverWork(culprit.database, [idOf(healthy)]);
      expect(left).toEqual({});
    }, 40_000);
    // Once more: the thread that took its place meets the poison in its first moments.
    await eventually(async () => {
      const [row] = await culprit.database.query<{ failures: number; last_error: string }>(
        {
          name: 'test-last-error',
          text: 'select failures, last_error from jobs where fairness_key = $1 and lane = $2',
        },
        [idOf(poisoned), BUNDLES_LANE],
      );
      expect(row).toEqual({ failures: 2, last_error: 'the worker thread was blocked for 20 s' });
    }, 40_000);
  });

  async function accept(project: TestProject, events: readonly SentEvent[]): Promise<void> {
    const bodies = events.map(({ body }) => body);
    const answer = acknowledgement(await sendEvents(culprit.url, project.projectToken, bodies));
    expect(answer.accepted).toBe(events.length);
  }

  async function surviveDeath(announced: AnnouncedDeath) {
    const project = await culprit.createProject();
    const ids = [idOf(project)];
    const ledger = createEventLedger();
    const events = ['alpha', 'alpha', 'bravo'].map((group, index) =>
      ledgerEvent(newUuid(), group, index > 0),
    );
    const deathFile = join(directory, 'death');
    await writeFile(deathFile, JSON.stringify(announced));
    await accept(project, events);
    ledger.note(events, 'accepted');
    if (announced.step === 'query jobs-claim' && announced.isLate) {
      // The only moment at which nobody knows what the thread held.
      await eventually(() => expect(access(deathFile)).rejects.toThrow());
      leasesPassed += 1;
      await moveClock(culprit.database, leasesPassed * (LEASE_SECONDS + 1) * 1000);
    }
    await eventually(async () => {
      const left = await findLeftOverWork(culprit.database, ids);
      if (Object.keys(left).length > 0) throw new Error(JSON.stringify(left));
    }, BEFORE_LEASE_ENDS_MS).catch(() => {});
    const hasDied = await access(deathFile).then(
      () => false,
      () => true,
    );
    return {
      hasDied,
      verdict: ledger.judge(await readCountedEvents(culprit.database, ids)),
      stuck: await findLeftOverWork(culprit.database, ids),
    };
  }
});

function idOf(project: TestProject): string {
  return parseId(['proj'], project.projectId) ?? '';
}
