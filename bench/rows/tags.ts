import { type LoadShape, startLoad } from './event-load.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

const EVENTS = 60_000;
const TAGS = 8;

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
        warmUpEvents: EVENTS,
      });
      const plain = await startLoad(context, service, database, shape('plain', 0));
      try {
        const tagged = await startLoad(context, service, database, shape('tagged', TAGS));
        try {
          const events = context.scaled(EVENTS);
          const runs = await repeated(context, 'tags', async () => ({
            plain: await plain.measure(events),
            tagged: await tagged.measure(events),
          }));
          await plain.assertCounted();
          await tagged.assertCounted();
          return [
            {
              row: 'tags',
              figure: `what ${TAGS} tags add to an event, batches of 50, 200 fingerprints`,
              unit: 'µs/event',
              values: runs.map((run) => run.tagged.time.total - run.plain.time.total),
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
