import type { Measured, MeasuredTime } from '../report/measured.ts';
import { fillWeek } from '../service/fill-week.ts';
import { type LoadRun, type LoadShape, startLoad } from './event-load.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The cost of an event beside a week of events, right after a checkpoint, when the first change of each page writes the
 * whole page to the log; and the cost of the same event before the week was there.
 */

const ROW = 'aged-database';
const WEEK_EVENTS = 7 * 86_400 * 5;
const EVENTS = 60_000;
const TIMES_NEW = 1.2;

const SHAPE: LoadShape = {
  row: ROW,
  figure: 'batches of 50, 200 fingerprints, 16 connections',
  load: { eventSize: 1500, eventsPerRequest: 50, connections: 16, kinds: 200 },
  warmUpEvents: 60_000,
};

interface AgedRun extends LoadRun {
  logBytes: number;
}

export const agedDatabase: RowGroup = {
  rows: [ROW],
  measure: (context) =>
    withService(context, async (service, database) => {
      const load = await startLoad(context, service, database, SHAPE);
      async function measure(): Promise<AgedRun> {
        await database.checkpoint();
        const before = await database.logBytes();
        const run = await load.measure(context.scaled(EVENTS));
        return { ...run, logBytes: ((await database.logBytes()) - before) / context.scaled(EVENTS) };
      }
      try {
        const fresh = await repeated(context, `${ROW}: the new one`, measure);
        context.progress(`${ROW}: filling`);
        await fillWeek(database, load.project, context.scaled(WEEK_EVENTS));
        const aged = await repeated(context, `${ROW}: beside a week`, measure);
        await load.assertCounted();
        return rowsOf(fresh, aged);
      } finally {
        await load.stop();
      }
    }),
};

function rowsOf(fresh: readonly AgedRun[], aged: readonly AgedRun[]): Measured[] {
  const timesNew = aged.map((run, index) => inFloors(run) / inFloors(fresh[index] ?? run));
  return [
    costOf('on a new database', fresh),
    costOf('beside a week of five events a second', aged),
    {
      row: ROW,
      figure: 'an event beside the week, in times of one on a new database',
      unit: '×',
      values: timesNew,
      floorValues: null,
      target: { kind: 'at_most', value: TIMES_NEW },
      details: {},
    },
    logOf('on a new database', fresh),
    logOf('beside a week of five events a second', aged),
  ];
}

/** The machine may be busier in one hour than in the next. */
function inFloors({ time, floorUs }: LoadRun): number {
  return time.total / floorUs;
}

function costOf(where: string, runs: readonly AgedRun[]): Measured {
  const time: MeasuredTime = { runs: runs.map((run) => run.time), floorUs: runs.map((run) => run.floorUs) };
  return {
    row: ROW,
    figure: `end to end, ${SHAPE.figure}, ${where}`,
    unit: 'µs/event',
    values: runs.map((run) => run.time.total),
    floorValues: time.floorUs,
    target: { kind: 'none' },
    time,
    details: { runs },
  };
}

function logOf(where: string, runs: readonly AgedRun[]): Measured {
  return {
    row: ROW,
    figure: `write-ahead log behind a checkpoint, ${where}`,
    unit: 'bytes',
    values: runs.map((run) => run.logBytes),
    floorValues: null,
    target: { kind: 'at_most', value: 400 },
    details: {},
  };
}
