import { type Measured, median } from '../report/measured.ts';
import { type LoadRun, type LoadShape, startLoad } from './event-load.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The cost of an event of a Sentry library beside the same error in our own form, each sent alone, by turns to one
 * service (docs/contract/foreign-protocols.md 14).
 */

const EVENTS = 3000;
/** The goal of the issue; the chapter requires 1.25. */
const TIMES_OWN = 1.5;

const SHAPES = [
  { row: 'foreign', connections: 16 },
  { row: 'foreign-one-connection', connections: 1 },
] as const;

export const foreign: readonly RowGroup[] = SHAPES.map(({ row, connections }) => ({
  rows: [row],
  measure: (context) => measure(context, row, connections),
}));

function measure(context: BenchContext, row: string, connections: number): Promise<Measured[]> {
  const figure = `single events of a Sentry library, 200 fingerprints, connections: ${connections}`;
  const shape = (own: string): LoadShape => ({
    row: `${row}-${own}`,
    figure,
    load: { eventSize: 1500, eventsPerRequest: 1, connections, kinds: 200 },
    warmUpEvents: connections === 1 ? EVENTS / 2 : EVENTS * 2,
  });
  return withService(context, async (service, database) => {
    const own = await startLoad(context, service, database, shape('own'));
    try {
      const theirs = await startLoad(context, service, database, { ...shape('sentry'), isForeign: true });
      try {
        const events = context.scaled(connections === 1 ? EVENTS / 2 : EVENTS);
        const runs = await repeated(context, figure, async () => ({
          own: await own.measure(events),
          theirs: await theirs.measure(events),
        }));
        await own.assertCounted();
        await theirs.assertCounted();
        return rowsOf(row, figure, runs);
      } finally {
        await theirs.stop();
      }
    } finally {
      await own.stop();
    }
  });
}

function rowsOf(row: string, figure: string, runs: readonly { own: LoadRun; theirs: LoadRun }[]): Measured[] {
  const time = { runs: runs.map(({ theirs }) => theirs.time), floorUs: null };
  const ownUs = median(runs.map(({ own }) => own.time.total));
  return [
    {
      row,
      figure: `${figure}, beside ${Math.round(ownUs)} µs in our own form`,
      unit: 'µs/event',
      values: runs.map(({ theirs }) => theirs.time.total),
      floorValues: null,
      target: { kind: 'none' },
      time,
      details: { runs },
    },
    {
      row,
      figure: `${figure}, times our own form`,
      unit: 'times',
      values: runs.map(({ own, theirs }) => theirs.time.total / own.time.total),
      floorValues: null,
      target: { kind: 'at_most', value: TIMES_OWN },
      details: {},
    },
  ];
}
