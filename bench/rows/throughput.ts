import type { EventSize } from '../load/exception-event.ts';
import type { Measured, MeasuredTime, Target } from '../report/measured.ts';
import { type LoadRun, type LoadShape, startLoad } from './event-load.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The cost of an event from its first byte until it is counted in its incident: processor time of all processes, beside
 * the floor's in the same run. Wall-clock figures are shown for information only, because they depend as much on the
 * neighbors on the machine.
 */

interface Shape extends LoadShape {
  events: number;
  target: Target;
  /** The target of the API process alone, in a separate row. */
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

export const throughput: readonly RowGroup[] = SHAPES.map((shape) => ({
  rows: [shape.row],
  measure: (context) => measureShape(context, shape),
}));

function measureShape(context: BenchContext, shape: Shape): Promise<Measured[]> {
  return withService(context, async (service, database) => {
    const load = await startLoad(context, service, database, shape);
    try {
      const runs = await repeated(context, shape.figure, () => load.measure(context.scaled(shape.events)));
      await load.assertCounted();
      return rowsOf(shape, runs);
    } finally {
      await load.stop();
    }
  });
}

function rowsOf(shape: Shape, runs: readonly LoadRun[]): Measured[] {
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
