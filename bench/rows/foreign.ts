import type { ForeignForm } from '../load/request-bytes.ts';
import { type Measured, median } from '../report/measured.ts';
import { type LoadRun, type LoadShape, startLoad } from './event-load.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * Measures the cost of events of other clients against the same errors in our own form, sent alike and in turns to one
 * service (docs/contract/foreign-protocols.md 14).
 */

const EVENTS = 3000;
/** The goal of the issue; the chapter requires 1.25. */
const TIMES_OWN = 1.5;

interface Shape {
  row: string;
  of: string;
  form: ForeignForm['form'];
  eventsPerRequest: number;
  connections: number;
}

const single = { of: 'single events of a Sentry library', eventsPerRequest: 1 };
const SHAPES: readonly Shape[] = [
  { row: 'foreign', ...single, form: 'envelope', connections: 16 },
  { row: 'foreign-one-connection', ...single, form: 'envelope', connections: 1 },
  { row: 'foreign-store', ...single, form: 'store', connections: 16 },
  {
    row: 'foreign-otlp',
    of: 'batches of 500 spans with an exception each',
    eventsPerRequest: 500,
    form: 'otlp',
    connections: 1,
  },
];

export const foreign: readonly RowGroup[] = SHAPES.map((each) => ({
  rows: [each.row],
  measure: (context) => measure(context, each),
}));

function measure(
  context: BenchContext,
  { row, of, form, eventsPerRequest, connections }: Shape,
): Promise<Measured[]> {
  const figure = `${of}, 200 fingerprints, connections: ${connections}`;
  const wanted = eventsPerRequest === 1 ? EVENTS : EVENTS * 8;
  const shape = (own: string): LoadShape => ({
    row: `${row}-${own}`,
    figure,
    load: { eventSize: 1500, eventsPerRequest, connections, kinds: 200 },
    warmUpEvents: connections === 1 ? wanted / 2 : wanted * 2,
  });
  return withService(context, async (service, database) => {
    const own = await startLoad(context, service, database, shape('own'));
    try {
      const theirs = await startLoad(context, service, database, { ...shape('foreign'), foreign: form });
      try {
        const events = context.scaled(connections === 1 ? wanted / 2 : wanted);
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
