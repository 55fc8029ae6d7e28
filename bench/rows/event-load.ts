import { setTimeout as delay } from 'node:timers/promises';
import { startFloorServer } from '../floor/floor-server.ts';
import type { ForeignForm } from '../load/request-bytes.ts';
import type { EventLoad } from '../load/send-events.ts';
import { type ProcessorTime, processorTimeOfOne, timePer } from '../service/processor-time.ts';
import type { BenchProject, Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import type { BenchContext } from './row-group.ts';

/** Events that are sent to the floor, then to a service, and what they cost each. */

export interface LoadShape {
  row: string;
  figure: string;
  load: Pick<EventLoad, 'eventSize' | 'eventsPerRequest' | 'connections' | 'kinds' | 'tags'>;
  /** The form in which other clients send; absent for our own. */
  foreign?: ForeignForm['form'];
  /** The number of events that are sent first, to compile the code and fill the caches. */
  warmUpEvents: number;
}

export interface LoadRun {
  time: ProcessorTime;
  floorUs: number;
  acceptedPerSecond: number;
  countedPerSecond: number;
  floorPerSecond: number;
}

interface RunningLoad {
  project: BenchProject;
  measure(events: number): Promise<LoadRun>;
  /** Fails unless each event that was ever accepted is counted once. */
  assertCounted(): Promise<void>;
  stop(): Promise<void>;
}

/** The wait after which bundles of the first occurrences are built, so that no run pays for those of another. */
const SETTLE_MS = 3000;

/** Starts the floor and warms both up. */
export async function startLoad(
  context: BenchContext,
  service: Service,
  database: ServiceDatabase,
  shape: LoadShape,
): Promise<RunningLoad> {
  const project = await service.createProject(shape.row);
  const floor = await startFloorServer(context.directory);
  const common = {
    ...shape.load,
    pace: { kind: 'closed', pauseMs: 0 },
    seconds: null,
    warmUpSeconds: 0,
  } as const;
  const toFloor = { ...common, host: '127.0.0.1', port: floor.port, token: 'svc_proj_floor' };
  const toService = {
    ...common,
    host: service.host,
    port: service.port,
    token: project.projectToken,
    ...(shape.foreign === undefined ? {} : { foreign: { form: shape.foreign, dsn: project.dsn } }),
  };
  let accepted = 0;

  async function sendAndCount(
    events: number,
  ): Promise<{ sent: number; sendSeconds: number; seconds: number }> {
    const begin = performance.now();
    const sent = await context.generator.send({ ...toService, events });
    accepted += sent.accepted;
    const end = await database.untilProcessed(project, accepted);
    return { sent: sent.accepted, sendSeconds: sent.seconds, seconds: (end - begin) / 1000 };
  }

  async function measure(events: number): Promise<LoadRun> {
    await database.untilNothingIsDue();
    await delay(SETTLE_MS);
    const floorBefore = processorTimeOfOne(floor.pid);
    const floorSent = await context.generator.send({ ...toFloor, events });
    const floorUs = (processorTimeOfOne(floor.pid) - floorBefore) / floorSent.accepted;
    const before = await database.processorTime();
    const { sent, sendSeconds, seconds } = await sendAndCount(events);
    return {
      time: timePer(sent, before, await database.processorTime()),
      floorUs,
      acceptedPerSecond: sent / sendSeconds,
      countedPerSecond: sent / seconds,
      floorPerSecond: floorSent.accepted / floorSent.seconds,
    };
  }

  try {
    context.progress(`${shape.figure}, warm-up`);
    await context.generator.send({ ...toFloor, events: context.scaled(shape.warmUpEvents) });
    await sendAndCount(context.scaled(shape.warmUpEvents));
  } catch (error) {
    await floor.stop();
    throw error;
  }
  return {
    project,
    measure,
    assertCounted: () => database.assertCounted(project, accepted),
    stop: () => floor.stop(),
  };
}
