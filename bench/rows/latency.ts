import type { LatencySummary } from '../load/latencies.ts';
import type { EventLoad } from '../load/send-events.ts';
import type { Measured } from '../report/measured.ts';
import type { BenchProject, Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The time of single actions: answers on an idle service and at half of its capacity. */

const ROWS = ['idle-answer', 'idle-incident', 'idle-bundle', 'half-load-answer'] as const;

export const latency: RowGroup = {
  rows: ROWS,
  measure: (context) =>
    withService(context, async (service, database) => {
      const project = await service.createProject('latency');
      await warmUp(context, service, project, database);
      return [
        ...(await measureIdleAnswers(context, service, project, database)),
        ...(await measureIncidents(context, service, project, database)),
        await measureHalfLoad(context, service, project, database),
      ];
    }),
};

function loadOf(service: Service, project: BenchProject): EventLoad {
  return {
    host: service.host,
    port: service.port,
    token: project.projectToken,
    eventSize: 1500,
    eventsPerRequest: 1,
    connections: 1,
    kinds: 50,
    pace: { kind: 'closed', pauseMs: 20 },
    seconds: null,
    events: null,
    warmUpSeconds: 0,
  };
}

/** A server that just started compiles its code while it answers. */
async function warmUp(
  context: BenchContext,
  service: Service,
  project: BenchProject,
  database: ServiceDatabase,
): Promise<void> {
  context.progress('latency, warm-up');
  const load = { ...loadOf(service, project), connections: 8, pace: { kind: 'closed', pauseMs: 0 } as const };
  await context.generator.send({ ...load, events: 4000 });
  await context.generator.watch({ ...watchOf(service, project), rounds: 30, pauseMs: 0 });
  await database.untilNothingIsDue();
}

async function measureIdleAnswers(
  context: BenchContext,
  service: Service,
  project: BenchProject,
  database: ServiceDatabase,
): Promise<Measured[]> {
  const runs = await repeated(context, '202 on an idle service', async () => {
    await database.untilNothingIsDue();
    return (await context.generator.send({ ...loadOf(service, project), events: context.scaled(500) }))
      .latency;
  });
  return [
    milliseconds('idle-answer', '202, idle, one connection, p50', runs, 'p50', 3),
    milliseconds('idle-answer', '202, idle, one connection, p99', runs, 'p99', 10),
  ];
}

function watchOf(service: Service, project: BenchProject) {
  const { host, port } = service;
  const { projectToken, memberToken } = project;
  return { host, port, projectToken, memberToken, rounds: 50, pauseMs: 100, untilBundle: true };
}

async function measureIncidents(
  context: BenchContext,
  service: Service,
  project: BenchProject,
  database: ServiceDatabase,
): Promise<Measured[]> {
  const runs = await repeated(context, 'event to incident and bundle', async () => {
    await database.untilNothingIsDue();
    return await context.generator.watch({ ...watchOf(service, project), rounds: context.scaled(60) });
  });
  const incidents = runs.map((run) => run.incident);
  const bundles = runs.map((run) => run.bundle);
  return [
    milliseconds('idle-incident', 'event to incident in the API, idle, p50', incidents, 'p50', 10),
    milliseconds('idle-incident', 'event to incident in the API, idle, p95', incidents, 'p95', 60),
    milliseconds('idle-bundle', 'event to first bundle, idle, p50', bundles, 'p50', null),
    milliseconds('idle-bundle', 'event to first bundle, idle, p95', bundles, 'p95', 500),
  ];
}

async function measureHalfLoad(
  context: BenchContext,
  service: Service,
  project: BenchProject,
  database: ServiceDatabase,
): Promise<Measured> {
  const batches = { ...loadOf(service, project), eventsPerRequest: 50, kinds: 200 };
  const runs = await repeated(context, '202 at half of capacity', async () => {
    await database.untilNothingIsDue();
    const full = await context.generator.send({
      ...batches,
      connections: 16,
      pace: { kind: 'closed', pauseMs: 0 },
      warmUpSeconds: 1,
      seconds: context.scaled(5),
    });
    await database.untilNothingIsDue();
    const requestsPerSecond = full.requests / full.seconds / 2;
    const half = await context.generator.send({
      ...batches,
      // More connections than ever wait together, as the clients of a real service would be many.
      connections: 64,
      pace: { kind: 'open', requestsPerSecond },
      warmUpSeconds: 2,
      seconds: context.scaled(8),
    });
    return { latency: half.latency, requestsPerSecond };
  });
  const latencies = runs.map((run) => run.latency);
  const row = milliseconds(
    'half-load-answer',
    '202 at half of capacity, batches of 50, p99',
    latencies,
    'p99',
    50,
  );
  return { ...row, details: { runs } };
}

function milliseconds(
  row: string,
  figure: string,
  runs: readonly LatencySummary[],
  key: 'p50' | 'p95' | 'p99',
  targetMs: number | null,
): Measured {
  return {
    row,
    figure,
    unit: 'ms',
    values: runs.map((run) => run[key]),
    floorValues: null,
    target: targetMs === null ? { kind: 'none' } : { kind: 'at_most', value: targetMs },
    details: { runs },
  };
}
