import { setTimeout as delay } from 'node:timers/promises';
import type { EventLoad } from '../load/send-events.ts';
import type { Measured, MeasuredTime } from '../report/measured.ts';
import { memoryMbOf } from '../service/process-memory.ts';
import { timePer } from '../service/processor-time.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The resources of the service while it has nothing to do: before anything was sent, and after it was busy. Canary on.
 */

const ROW = 'at-rest';
const START_WAIT_MS = 15_000;
/** A whole minute, so that whatever happens once a minute is in it, the canary first of all. */
const WATCH_MS = 60_000;
/** The wait until unused memory has been released. */
const GIVE_BACK_WAIT_MS = 120_000;
const LOAD_SECONDS = 8;

export const atRest: RowGroup = {
  rows: [ROW],
  async measure(context) {
    const runs = await repeated(context, 'at rest', () => measureOnce(context));
    const idle = runs.map((run) => run.idle);
    const after = runs.map((run) => run.after);
    return [
      timeRow('idle', idle),
      timeRow('idle after load', after),
      memoryRow('idle', idle, 190),
      memoryRow('after load', after, 350),
    ];
  },
};

interface Rest {
  time: Awaited<ReturnType<ServiceDatabase['processorTime']>>;
  memory: ReturnType<typeof memoryMbOf>;
}

function measureOnce(context: BenchContext): Promise<{ idle: Rest; after: Rest }> {
  return withService(context, async (service, database) => {
    async function rest(): Promise<Rest> {
      const before = await database.processorTime();
      const watchMs = context.scaled(WATCH_MS);
      await delay(watchMs);
      const time = timePer(watchMs / 1000, before, await database.processorTime());
      return { time, memory: memoryMbOf(service.pid, await database.processIds()) };
    }
    const project = await service.createProject('at rest');
    await delay(context.scaled(START_WAIT_MS));
    const idle = await rest();
    const load: EventLoad = {
      host: service.host,
      port: service.port,
      token: project.projectToken,
      eventSize: 1500,
      eventsPerRequest: 50,
      connections: 16,
      kinds: 1000,
      pace: { kind: 'closed', pauseMs: 0 },
      seconds: context.scaled(LOAD_SECONDS),
      events: null,
      warmUpSeconds: 0,
    };
    const small = await context.generator.send(load);
    const large = await context.generator.send({ ...load, eventSize: 25_000, eventsPerRequest: 40 });
    await database.untilProcessed(project, small.accepted + large.accepted);
    await database.untilNothingIsDue();
    await delay(context.scaled(GIVE_BACK_WAIT_MS));
    await database.untilNothingIsDue();
    return { idle, after: await rest() };
  });
}

function timeRow(when: string, runs: readonly Rest[]): Measured {
  const time: MeasuredTime = { runs: runs.map((run) => run.time), floorUs: null };
  return {
    row: ROW,
    figure: `processor time per second, ${when}`,
    unit: 'µs/s',
    values: runs.map((run) => run.time.total),
    floorValues: null,
    target: { kind: 'at_most', value: 4000 },
    time,
    details: {},
  };
}

function memoryRow(when: string, runs: readonly Rest[], targetMb: number): Measured {
  return {
    row: ROW,
    figure: `memory of all processes, PostgreSQL and launcher included, ${when}`,
    unit: 'MB',
    values: runs.map((run) => run.memory.total),
    floorValues: null,
    target: { kind: 'at_most', value: targetMb },
    details: { parts: runs.map((run) => run.memory) },
  };
}
