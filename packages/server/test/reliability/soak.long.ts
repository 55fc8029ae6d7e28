// Proves 28.
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeMemoryMb } from '../../../../bench/service/process-memory.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { createEventLedger, KEPT, readCountedEvents } from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { createRealService, type RealService } from './real-service.ts';
import { settleWork } from './settle-work.ts';

/** docs/contract/reliability.md test 28: an hour of steady load leaves nothing behind that grows. */

const MINUTES = Number(process.env.CULPRIT_TEST_SOAK_MINUTES ?? 60);
const CLIENTS = 3;
const SAMPLE_INTERVAL_MS = 5000;
/** What the last quarter may have more than the second: heaps settle late. */
const GROWTH_MAX = { share: 0.15, memoryMb: 30, descriptors: 20, jobs: 100 };
const SEED = chooseSeed();

interface Sample {
  memoryMb: number;
  descriptors: number;
  jobs: number;
}

describe(`${MINUTES} minutes of load (seed ${SEED})`, () => {
  let service: RealService;
  beforeAll(async () => {
    service = await createRealService();
    await service.start();
  });
  afterAll(() => service.remove());

  it('leave memory, descriptors and queue as they were, and lose nothing', {
    timeout: (MINUTES + 10) * 60_000,
  }, async () => {
    const { projectId, projectToken: token } = await service.bootstrap('shop');
    const database = openDatabase({
      url: await service.databaseUrl(),
      connectionsMax: 1,
      applicationName: 'test-soak',
    });
    const ledger = createEventLedger();
    const load = startEventLoad({
      url: service.url,
      token,
      clients: CLIENTS,
      random: seededRandom(SEED),
      ledger,
    });
    const samples: Sample[] = [];
    const endsAt = performance.now() + MINUTES * 60_000;
    while (performance.now() < endsAt) {
      await delay(SAMPLE_INTERVAL_MS);
      const roles = await service.roleProcesses();
      const memories = await Promise.all(roles.map((pid) => nodeMemoryMb(pid)));
      const [queue] = await database.query<{ jobs: number }>({
        name: 'test-soak-jobs',
        text: 'select count(*)::integer as jobs from jobs',
      });
      samples.push({
        memoryMb: sum(memories),
        descriptors: sum(roles.map((pid) => readdirSync(`/proc/${pid}/fd`).length)),
        jobs: queue?.jobs ?? 0,
      });
    }
    await load.finish();
    await database.close();

    const quarter = Math.floor(samples.length / 4);
    const early = samples.slice(quarter, 2 * quarter);
    const late = samples.slice(-quarter);
    const growth = {
      memoryMb: median(late, 'memoryMb') - median(early, 'memoryMb') * (1 + GROWTH_MAX.share),
      descriptors: median(late, 'descriptors') - median(early, 'descriptors'),
      jobs: median(late, 'jobs') - median(early, 'jobs'),
    };
    recordFigure(
      28,
      `${MINUTES} min, ${ledger.count('accepted')} events; memory ${Math.round(median(early, 'memoryMb'))} to ${Math.round(median(late, 'memoryMb'))} MB, descriptors ${median(early, 'descriptors')} to ${median(late, 'descriptors')}, jobs ${median(early, 'jobs')} to ${median(late, 'jobs')} (seed ${SEED})`,
    );
    const ids = [parseId(['proj'], projectId) ?? ''];
    const settled = await settleWork(service, ids);
    try {
      expect(ledger.judge(await readCountedEvents(settled, ids))).toEqual(KEPT);
    } finally {
      await settled.close();
    }
    expect(load.surprises()).toEqual([]);
    expect(growth.memoryMb).toBeLessThan(GROWTH_MAX.memoryMb);
    expect(growth.descriptors).toBeLessThan(GROWTH_MAX.descriptors);
    expect(growth.jobs).toBeLessThan(GROWTH_MAX.jobs);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function median(samples: readonly Sample[], key: keyof Sample): number {
  const sorted = samples.map((sample) => sample[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
