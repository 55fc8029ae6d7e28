import { type FloorServer, startFloorServer } from '../floor/floor-server.ts';
import type { EventSize } from '../load/exception-event.ts';
import type { EventLoad, LoadResult } from '../load/send-events.ts';
import type { Measured } from '../report/measured.ts';
import type { BenchProject, Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** How fast events are accepted for good, next to the floor measured in the same minute. */

interface Shape {
  row: string;
  figure: string;
  eventSize: EventSize;
  eventsPerRequest: number;
}

const CONNECTIONS = 16;
const KINDS = 200;
const SECONDS = 6;
const WARM_UP_SECONDS = 3;
const FLOOR_WARM_UP_SECONDS = 1;

const SHAPES: readonly Shape[] = [
  {
    row: 'accept-batches',
    figure: 'durable accept, 1.5 KB, batches of 50, 16 connections',
    eventSize: 1500,
    eventsPerRequest: 50,
  },
  {
    row: 'accept-large',
    // Fifty of them would be over the limit of 1 MB for a body.
    figure: 'durable accept, 25 KB, batches of 40, 16 connections',
    eventSize: 25_000,
    eventsPerRequest: 40,
  },
  {
    row: 'accept-single',
    figure: 'durable accept, 1.5 KB, single events, 16 connections',
    eventSize: 1500,
    eventsPerRequest: 1,
  },
];

export const durableAccept: readonly RowGroup[] = SHAPES.map((shape) => ({
  rows: [shape.row],
  measure: (context) =>
    withService(context, async (service, database) => [
      await measureShape(context, shape, service, database),
    ]),
}));

async function measureShape(
  context: BenchContext,
  shape: Shape,
  service: Service,
  database: ServiceDatabase,
): Promise<Measured> {
  const project = await service.createProject(shape.row);
  const floor = await startFloorServer(context.directory);
  let accepted = 0;
  const details: { drainEventsPerSecond: number; latency: LoadResult['latency'] }[] = [];
  try {
    const runs = await repeated(context, shape.figure, async (run) => {
      const floorResult = await context.generator.send(floorLoad(context, shape, floor));
      const result = await context.generator.send(serviceLoad(context, shape, service, project, run));
      accepted += result.acceptedInAll;
      // What was accepted must also be counted; the time it takes alone is worth knowing.
      const [before] = await database.database.query<{ events: number }>(
        {
          name: 'bench-processed',
          text: `select coalesce(sum(events), 0)::bigint as events from event_fates
            where project_id = $1 and fate = 'processed'`,
        },
        [project.projectId],
      );
      const begin = performance.now();
      const end = await database.untilProcessed(project, accepted);
      const drained = accepted - (before?.events ?? 0);
      details.push({ drainEventsPerSecond: (drained * 1000) / (end - begin), latency: result.latency });
      await database.untilNothingIsDue();
      return { value: result.accepted / result.seconds, floor: floorResult.accepted / floorResult.seconds };
    });
    await database.assertCounted(project, accepted);
    return {
      row: shape.row,
      figure: shape.figure,
      unit: 'events/s',
      values: runs.map((run) => run.value),
      floorValues: runs.map((run) => run.floor),
      target: { kind: 'share_of_floor', value: 0.5 },
      details: { accepted, runs: details },
    };
  } finally {
    await floor.stop();
  }
}

function floorLoad(context: BenchContext, shape: Shape, floor: FloorServer): EventLoad {
  return {
    ...shape,
    host: '127.0.0.1',
    port: floor.port,
    token: 'svc_proj_floor',
    connections: CONNECTIONS,
    kinds: KINDS,
    pace: { kind: 'closed', pauseMs: 0 },
    seconds: context.scaled(SECONDS),
    events: null,
    warmUpSeconds: FLOOR_WARM_UP_SECONDS,
  };
}

function serviceLoad(
  context: BenchContext,
  shape: Shape,
  service: Service,
  project: BenchProject,
  run: number,
): EventLoad {
  return {
    ...shape,
    host: service.host,
    port: service.port,
    token: project.projectToken,
    connections: CONNECTIONS,
    kinds: KINDS,
    pace: { kind: 'closed', pauseMs: 0 },
    seconds: context.scaled(SECONDS),
    events: null,
    warmUpSeconds: run === 1 ? WARM_UP_SECONDS : FLOOR_WARM_UP_SECONDS,
  };
}
