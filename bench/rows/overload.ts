import type { EventLoad } from '../load/send-events.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * Three times of what the service can take (docs/contract/reliability.md test 24): how much of it is still done, and
 * how quickly.
 */

const ROWS = ['overload-useful', 'overload-answer'] as const;
const TIMES_CAPACITY = 3;
/** More connections than the service answers together, so that it has to refuse. */
const CONNECTIONS = 400;

export const overload: RowGroup = {
  rows: ROWS,
  measure: (context) =>
    withService(context, async (service, database) => {
      const project = await service.createProject('overload');
      const load: EventLoad = {
        host: service.host,
        port: service.port,
        token: project.projectToken,
        eventSize: 1500,
        eventsPerRequest: 10,
        connections: 16,
        kinds: 200,
        pace: { kind: 'closed', pauseMs: 0 },
        warmUpSeconds: 2,
        seconds: context.scaled(6),
        events: null,
      };
      const runs = await repeated(context, 'three times capacity', async () => {
        await database.untilNothingIsDue();
        const full = await context.generator.send(load);
        await database.untilNothingIsDue();
        const over = await context.generator.send(overloaded(context, load, full.requests / full.seconds));
        return {
          usefulShare: over.accepted / over.seconds / (full.accepted / full.seconds),
          latency: over.latency,
          refused: over.refused,
          requests: over.requests,
        };
      });
      const details = { runs };
      return [
        {
          row: 'overload-useful',
          figure: 'three times capacity: accepted, as a share of capacity',
          unit: '%',
          values: runs.map((run) => 100 * run.usefulShare),
          floorValues: null,
          target: { kind: 'at_least', value: 70 },
          details,
        },
        {
          row: 'overload-answer',
          figure: 'three times capacity: 202, p99',
          unit: 'ms',
          values: runs.map((run) => run.latency.p99),
          floorValues: null,
          target: { kind: 'at_most', value: 1000 },
          details,
        },
      ];
    }),
};

function overloaded(context: BenchContext, load: EventLoad, capacityPerSecond: number): EventLoad {
  return {
    ...load,
    connections: CONNECTIONS,
    pace: { kind: 'open', requestsPerSecond: TIMES_CAPACITY * capacityPerSecond },
    seconds: context.scaled(8),
    isRefusalExpected: true,
  };
}
