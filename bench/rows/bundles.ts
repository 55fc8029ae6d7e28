import { timePer } from '../service/processor-time.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The cost of the first bundle of a new incident, and the number of bundles in a second when many errors are new
 * together.
 */

const INCIDENTS = 2000;
const WARM_UP_INCIDENTS = 200;

export const bundles: RowGroup = {
  rows: ['bundles'],
  measure: (context) =>
    withService(context, async (service, database) => {
      async function countNew(name: string, incidents: number): Promise<void> {
        const project = await service.createProject(name);
        const sent = await context.generator.send({
          host: service.host,
          port: service.port,
          token: project.projectToken,
          eventSize: 1500,
          eventsPerRequest: 50,
          connections: 1,
          kinds: incidents,
          pace: { kind: 'closed', pauseMs: 0 },
          seconds: null,
          events: incidents,
          warmUpSeconds: 0,
        });
        await database.untilProcessed(project, sent.accepted);
      }
      await countNew('warm-up', WARM_UP_INCIDENTS);
      await database.untilNothingIsDue();
      let number = 0;
      const runs = await repeated(context, 'first bundles', async () => {
        number += 1;
        await countNew(`new ${number}`, context.scaled(INCIDENTS));
        // From here on there is nothing else to do.
        const before = await database.processorTime();
        const begin = performance.now();
        const builtBefore = await countBundles(database);
        await database.untilNothingIsDue();
        const built = (await countBundles(database)) - builtBefore;
        const perSecond = (built * 1000) / (performance.now() - begin);
        return { time: timePer(built, before, await database.processorTime()), perSecond, built };
      });
      const time = { runs: runs.map((run) => run.time), floorUs: null };
      return [
        {
          row: 'bundles',
          figure: 'first bundle of a new incident',
          unit: 'µs',
          values: runs.map((run) => run.time.total),
          floorValues: null,
          target: { kind: 'at_most', value: 2000 },
          time,
          details: { runs },
        },
        {
          row: 'bundles',
          figure: 'first bundles in wall-clock time',
          unit: 'bundles/s',
          values: runs.map((run) => run.perSecond),
          floorValues: null,
          target: { kind: 'none' },
          details: {},
        },
      ];
    }),
};

async function countBundles({ database }: ServiceDatabase): Promise<number> {
  const [row] = await database.query<{ bundles: number }>({
    name: 'bench-bundles',
    text: `select count(*)::bigint as bundles from bundles where status = 'ready'`,
  });
  return row?.bundles ?? 0;
}
