import { setTimeout as delay } from 'node:timers/promises';
import { parseId } from '../../src/platform/ids.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createSplitService, type SplitService } from '../support/split-service.ts';
import { createEventLedger, readCountedEvents, type Verdict } from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { settleWork } from './settle-work.ts';

/** What is left of a service of many processes after kills. */
interface KillOutcome {
  verdict: Verdict;
  stuck: Record<string, number>;
  surprises: string[];
  /** Events. */
  accepted: number;
  unknown: number;
  kills: { api: number; worker: number };
}

const CLIENTS = 2;
const KILLS_MAX = 40;
const READY_TIMEOUT_MS = 60_000;
const PAUSE_MS = { min: 100, max: 800 };
const S3_FAULTS = ['fails', 'fails_late', 'breaks_off_late'] as const;
const S3_FAULT_CHANCE = 0.1;

/**
 * Runs two API and two worker processes on an empty database and an S3 store that fails now and then, and kills one of
 * them after the other at random, each replaced at once, while clients send.
 */
export async function runKills(options: {
  databaseUrl: string;
  kills: number;
  seed: number;
}): Promise<KillOutcome> {
  const random = seededRandom(options.seed);
  const service = await createSplitService(options.databaseUrl);
  try {
    // Also a race for the migrations and for the identity of the store.
    await Promise.all((['api', 'worker', 'api', 'worker'] as const).map((role) => service.start(role)));
    const { projectId, projectToken: token, dsn } = await service.bootstrap('shop');
    service.s3.fault = () => (random.chance(S3_FAULT_CHANCE) ? random.pick(S3_FAULTS) : null);
    const ledger = createEventLedger();
    const load = startEventLoad({
      url: service.url,
      token,
      dsn,
      clients: CLIENTS,
      random: seededRandom(options.seed + 1),
      ledger,
    });
    const kills = { api: 0, worker: 0 };
    // A few more when none has met a request so far: then nothing was tried.
    const hasMetNone = () => ledger.count('unknown') === 0;
    for (let kill = 0; kill < options.kills || (hasMetNone() && kill < KILLS_MAX); kill += 1) {
      await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max));
      // Roles in turn, which of both and when at random; one that was just started may die in its start.
      const role = kill % 2 === 0 ? 'api' : 'worker';
      await killOne(service, role, random.chance(0.5));
      kills[role] += 1;
    }
    await load.finish();
    service.s3.fault = () => null;
    const ids = [parseId(['proj'], projectId) ?? ''];
    const database = await settleWork(
      { url: service.url, databaseUrl: async () => options.databaseUrl },
      ids,
    );
    try {
      return {
        verdict: ledger.judge(await readCountedEvents(database, ids)),
        stuck: await findLeftOverWork(database, ids),
        surprises: load.surprises(),
        accepted: ledger.count('accepted'),
        unknown: ledger.count('unknown'),
        kills,
      };
    } finally {
      await database.close();
    }
  } finally {
    await service.stop();
  }
}

async function killOne(service: SplitService, role: 'api' | 'worker', isFirst: boolean): Promise<void> {
  const running = service.parts().filter((part) => part.role === role);
  const part = isFirst ? running[0] : running.at(-1);
  if (part === undefined) throw new Error(`no ${role} process runs`);
  const ended = service.end(part, 'SIGKILL');
  service.begin(role);
  await ended;
  // Otherwise there would be no load while every API is just starting.
  if (role === 'api') {
    await eventually(() => {
      if (service.balancer.readyCount() === 0) throw new Error('no API is ready');
    }, READY_TIMEOUT_MS);
  }
}
