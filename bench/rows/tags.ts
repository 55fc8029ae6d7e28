import { median } from '../report/measured.ts';
import { type LoadRun, type LoadShape, startLoad } from './event-load.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

const WARM_UP_EVENTS = 60_000;
const TAGS = 8;
/** One load differs from the next by more than tags may add, so that each figure is the middle of many pairs. */
const PAIRS = 8;
const EVENTS = 15_000;

/**
 * Measures how much processor time eight tags of a client add to an event, including their part of the search document
 * (docs/contract/team-workflow.md 1.2, 1.3: 3 and 2 µs). Both loads run in turn on one service.
 */
export const tags: RowGroup = {
  rows: ['tags'],
  measure: (context) =>
    withService(context, async (service, database) => {
      const shape = (row: string, count: number): LoadShape => ({
        row,
        figure: `batches of 50, 200 fingerprints, ${count} tags`,
        load: { eventSize: 1500, eventsPerRequest: 50, connections: 16, kinds: 200, tags: count },
        warmUpEvents: WARM_UP_EVENTS,
      });
      const plain = await startLoad(context, service, database, shape('plain', 0));
      try {
        const tagged = await startLoad(context, service, database, shape('tagged', TAGS));
        try {
          const events = context.scaled(EVENTS);
          const runs = await repeated(context, 'tags', async () => {
            const pairs: { plain: LoadRun; tagged: LoadRun }[] = [];
            for (let pair = 0; pair < PAIRS; pair += 1) {
              // In turns, so that a machine that becomes slower or faster favors neither.
              const first = pair % 2 === 0 ? null : await tagged.measure(events);
              const without = await plain.measure(events);
              pairs.push({ plain: without, tagged: first ?? (await tagged.measure(events)) });
            }
            return pairs;
          });
          await plain.assertCounted();
          await tagged.assertCounted();
          return [
            {
              row: 'tags',
              figure: `what ${TAGS} tags add to an event, batches of 50, 200 fingerprints`,
              unit: 'µs/event',
              values: runs.map((pairs) => added(pairs)),
              floorValues: null,
              target: { kind: 'at_most', value: 5 },
              details: { runs },
            },
          ];
        } finally {
          await tagged.stop();
        }
      } finally {
        await plain.stop();
      }
    }),
};

/** The middle of what the tags added in each pair. */
function added(pairs: readonly { plain: LoadRun; tagged: LoadRun }[]): number {
  return median(pairs.map(({ plain, tagged }) => tagged.time.total - plain.time.total));
}
