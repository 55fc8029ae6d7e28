// Proves 12.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { eventually } from '../support/eventually.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { sendEvents } from '../support/send-events.ts';
import { fillWithBytes, mountSmallVolume } from '../support/small-volume.ts';
import { createEventLedger, KEPT, readCountedEvents } from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { createRealService, type RealService } from './real-service.ts';
import { settleWork } from './settle-work.ts';

/**
 * docs/contract/reliability.md test 12: the volume with objects and database is filled to the last page under load, and
 * freed. Where nothing can be mounted the guard of the free space stands for it:
 * `program/life-of-a-server.standard.test.ts`.
 */

const ROUNDS = 3;
const CLIENTS = 3;
const VOLUME = 'size=512m';
const LOAD_MS = 1000;
const FULL_MS = 5000;
const FILL_INTERVAL_MS = 100;
const RECOVERED_MS = 10_000;
const SEED = chooseSeed();

describe(`a volume that is full, ${ROUNDS} times (seed ${SEED})`, () => {
  let service: RealService;
  let unmount: (() => void) | null;
  beforeAll(async () => {
    service = await createRealService();
    unmount = mountSmallVolume(service.dataDir, VOLUME);
    if (unmount !== null) await service.start();
  });
  afterAll(async () => {
    await service.end('SIGTERM');
    unmount?.();
    await service.remove();
  });

  it('stops the intake without a crash, and loses nothing', { timeout: 180_000 }, async ({ skip }) => {
    if (unmount === null) {
      recordFigure(12, 'nothing can be mounted here: by the guard of the free space alone');
      skip('nothing can be mounted here');
    }
    const { projectId, projectToken: token } = await service.bootstrap('shop');
    const before = await service.roleProcesses();
    const ledger = createEventLedger();
    const random = seededRandom(SEED);
    const load = startEventLoad({ url: service.url, token, clients: CLIENTS, random, ledger });
    const ballast = join(service.dataDir, 'ballast');
    const recoveriesMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await delay(LOAD_MS);
      const fullUntilMs = performance.now() + FULL_MS;
      for (; performance.now() < fullUntilMs; await delay(FILL_INTERVAL_MS)) fillWithBytes(ballast);
      await eventually(async () => {
        // What the database gave back is taken too.
        fillWithBytes(ballast);
        expect(await sendEvents(service.url, token, [])).toMatchObject({
          status: 503,
          body: { error: 'service_unavailable' },
        });
      });
      rmSync(ballast);
      const freedAtMs = performance.now();
      await eventually(async () => {
        const { status } = await sendEvents(service.url, token, []);
        if (status !== 202) throw new Error(`answered ${status}:\n${service.lastLines()}`);
      }, RECOVERED_MS);
      recoveriesMs.push(performance.now() - freedAtMs);
    }
    await load.finish();
    expect(await service.roleProcesses()).toEqual(before);

    const ids = [parseId(['proj'], projectId) ?? ''];
    const database = await settleWork(service, ids);
    try {
      expect({
        verdict: ledger.judge(await readCountedEvents(database, ids)),
        stuck: await findLeftOverWork(database, ids),
        surprises: load.surprises(),
      }).toEqual({ verdict: KEPT, stuck: {}, surprises: [] });
      recordFigure(
        12,
        `a full volume ${ROUNDS} times, ${ledger.count('accepted')} events accepted, ${ledger.count('unknown')} refused or unanswered, lost 0, twice 0, recovered in ${Math.round(Math.max(...recoveriesMs))} ms (seed ${SEED})`,
      );
      expect(ledger.count('unknown')).toBeGreaterThan(0);
    } finally {
      await database.close();
    }
  });
});
