import { setTimeout as delay } from 'node:timers/promises';
import { startFloorServer } from '../floor/floor-server.ts';
import type { EventSize } from '../load/exception-event.ts';
import type { EventLoad } from '../load/send-events.ts';
import type { Measured, MeasuredTime, Target } from '../report/measured.ts';
import { type ProcessorTime, processorTimeOfOne, timePer } from '../service/processor-time.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * What an event costs from its first byte until it is counted in its incident: processor time of all processes, beside
 * the floor's in the same run. Wall-clock figures are shown for information only, because they say as much about the
 * neighbors on the machine.
 */

interface Shape {
  row: string;
  figure: string;
  load: Pick<EventLoad, 'eventSize' | 'eventsPerRequest' | 'connections' | 'kinds'>;
  events: number;
  /** Sent before; code is compiled and caches are filled by then. */
  warmUpEvents: number;
  target: Target;
  /** Of the API process alone, in a row of its own. */
  apiTarget?: Target;
}

const LARGE: EventSize = 25_000;

const SHAPES: readonly Shape[] = [
  {
    row: 'batches',
    figure: 'batches of 50, 200 fingerprints, 16 connections',
    load: { eventSize: 1500, eventsPerRequest: 50, connections: 16, kinds: 200 },
    events: 60_000,
    warmUpEvents: 60_000,
    target: { kind: 'times_floor', value: 8 },
    apiTarget: { kind: 'times_floor', value: 2 },
  },
  {
    row: 'many-fingerprints',
    figure: 'batches of 50, 10,000 fingerprints, 16 connections',
    load: { eventSize: 1500, eventsPerRequest: 50, connections: 16, kinds: 10_000 },
    events: 60_000,
    warmUpEvents: 30_000,
    target: { kind: 'times_floor', value: 20 },
  },
  {
    row: 'large-events',
    // Fifty of them would be over the limit of 1 MB for a body.
    figure: '25 KB, batches of 40, 200 fingerprints, 16 connections',
    load: { eventSize: LARGE, eventsPerRequest: 40, connections: 16, kinds: 200 },
    events: 8000,
    warmUpEvents: 8000,
    target: { kind: 'times_floor', value: 5 },
  },
  {
    row: 'single-events',
    figure: 'single events, 200 fingerprints, 16 connections',
    load: { eventSize: 1500, eventsPerRequest: 1, connections: 16, kinds: 200 },
    events: 6000,
    warmUpEvents: 6000,
    target: { kind: 'times_floor', value: 8 },
  },
  {
    row: 'one-connection',
    figure: 'single events, 200 fingerprints, 1 connection',
    load: { eventSize: 1500, eventsPerRequest: 1, connections: 1, kinds: 200 },
    events: 1500,
    warmUpEvents: 1500,
    target: { kind: 'at_most', value: 2000 },
  },
];

/** Bundles of the first occurrences are built by then, so that no run pays for those of another. */
const SETTLE_MS = 3000;

export const throughput: readonly RowGroup[] = SHAPES.map((shape) => ({
  rows: [shape.row],
  measure: (context) => measureShape(context, shape),
}));

interface Run {
  time: ProcessorTime;
  floorUs: number;
  acceptedPerSecond: number;
  countedPerSecond: number;
  floorPerSecond: number;
}

function measureShape(context: BenchContext, shape: Shape): Promise<Measured[]> {
  return withService(context, async (service, database) => {
    const project = await service.createProject(shape.row);
    const floor = await startFloorServer(context.directory);
    const common = {
      ...shape.load,
      pace: { kind: 'closed', pauseMs: 0 },
      seconds: null,
      warmUpSeconds: 0,
    } as const;
    const toFloor = { ...common, host: '127.0.0.1', port: floor.port, token: 'svc_proj_floor' };
    const toService = { ...common, host: service.host, port: service.port, token: project.projectToken };
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
    try {
      context.progress(`${shape.figure}, warm-up`);
      await context.generator.send({ ...toFloor, events: context.scaled(shape.warmUpEvents) });
      await sendAndCount(context.scaled(shape.warmUpEvents));
      const events = context.scaled(shape.events);
      const runs = await repeated(context, shape.figure, async (): Promise<Run> => {
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
      });
      await database.assertCounted(project, accepted);
      return rowsOf(shape, runs);
    } finally {
      await floor.stop();
    }
  });
}

function rowsOf(shape: Shape, runs: readonly Run[]): Measured[] {
  const time: MeasuredTime = { runs: runs.map((run) => run.time), floorUs: runs.map((run) => run.floorUs) };
  const common = { row: shape.row, unit: 'µs/event', floorValues: time.floorUs, details: { runs } };
  return [
    {
      ...common,
      figure: `end to end, ${shape.figure}`,
      values: runs.map((run) => run.time.total),
      target: shape.target,
      time,
    },
    ...(shape.apiTarget === undefined
      ? []
      : [
          {
            ...common,
            figure: `API alone, ${shape.figure}`,
            values: runs.map((run) => run.time.parts.api),
            target: shape.apiTarget,
          },
        ]),
    {
      row: shape.row,
      figure: `accepted in wall-clock time, ${shape.figure}`,
      unit: 'events/s',
      values: runs.map((run) => run.acceptedPerSecond),
      floorValues: runs.map((run) => run.floorPerSecond),
      target: { kind: 'none' },
      details: { countedPerSecond: runs.map((run) => run.countedPerSecond) },
    },
  ];
}
