import type { Measured } from '../report/measured.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** From the first byte sent until the last event is counted in its incident, on a service that just started. */

const CONNECTIONS = 16;
const WARM_UP_EVENTS = 10_000;

const SHAPES = [
  { row: 'end-to-end-200', kinds: 200, events: 200_000, target: 10_000 },
  { row: 'end-to-end-10000', kinds: 10_000, events: 100_000, target: 5000 },
] as const;

export const endToEnd: readonly RowGroup[] = SHAPES.map((shape) => ({
  rows: [shape.row],
  measure: async (context) => [await measureShape(context, shape)],
}));

async function measureShape(context: BenchContext, shape: (typeof SHAPES)[number]): Promise<Measured> {
  const figure = `end to end, ${shape.kinds.toLocaleString('en-US')} fingerprints`;
  const bundles: number[] = [];
  const values = await repeated(context, figure, () =>
    withService(context, async (service, database) => {
      const load = {
        host: service.host,
        port: service.port,
        eventSize: 1500,
        eventsPerRequest: 50,
        connections: CONNECTIONS,
        pace: { kind: 'closed', pauseMs: 0 },
        seconds: null,
        warmUpSeconds: 0,
      } as const;
      // Another project warms the processes up, so that the measured one begins without incidents.
      const warmUp = await service.createProject('warm-up');
      const warm = await context.generator.send({
        ...load,
        token: warmUp.projectToken,
        kinds: 200,
        events: WARM_UP_EVENTS,
      });
      await database.untilProcessed(warmUp, warm.accepted);
      await database.untilNothingIsDue();

      const project = await service.createProject('measured');
      const begin = performance.now();
      const sent = await context.generator.send({
        ...load,
        token: project.projectToken,
        kinds: shape.kinds,
        events: context.scaled(shape.events),
      });
      const end = await database.untilProcessed(project, sent.accepted);
      await database.assertCounted(project, sent.accepted);
      const [row] = await database.database.query<{ bundles: number }>(
        {
          name: 'bench-bundles',
          text: `select count(*)::bigint as bundles from bundles where project_id = $1 and status = 'ready'`,
        },
        [project.projectId],
      );
      bundles.push(row?.bundles ?? 0);
      return (sent.accepted * 1000) / (end - begin);
    }),
  );
  return {
    row: shape.row,
    figure,
    unit: 'events/s',
    values,
    floorValues: null,
    target: { kind: 'at_least', value: shape.target },
    details: { bundlesBuiltMeanwhile: bundles },
  };
}
