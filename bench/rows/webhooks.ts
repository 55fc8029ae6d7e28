import type { Measured } from '../report/measured.ts';
import type { BenchProject, Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The time from an event to the webhook about it. */

const ROWS = ['idle-webhook', 'hanging-receivers'] as const;
const HANGING_RECEIVERS = 50;

export const webhooks: RowGroup = {
  rows: ROWS,
  measure: (context) =>
    withService(context, async (service, database) => {
      const project = await service.createProject('webhooks');
      context.progress('webhooks, warm-up');
      await context.generator.watchWebhook({ ...watchOf(service, project), rounds: 30, pauseMs: 0 });
      return [
        await measureIdle(context, service, project, database),
        await measureHanging(context, service, project, database),
      ];
    }),
};

function watchOf(service: Service, project: BenchProject) {
  const { host, port } = service;
  return { host, port, ...project, hangingReceivers: 0, pauseMs: 100 };
}

async function measureIdle(
  context: BenchContext,
  service: Service,
  project: BenchProject,
  database: ServiceDatabase,
): Promise<Measured> {
  const runs = await repeated(context, 'event to webhook', async () => {
    await database.untilNothingIsDue();
    const watch = { ...watchOf(service, project), rounds: context.scaled(60) };
    return (await context.generator.watchWebhook(watch)).delivery;
  });
  return {
    row: 'idle-webhook',
    figure: 'event to webhook received, idle, p95 (first bundle included)',
    unit: 'ms',
    values: runs.map((run) => run.p95),
    floorValues: null,
    target: { kind: 'at_most', value: 500 },
    details: { runs },
  };
}

async function measureHanging(
  context: BenchContext,
  service: Service,
  project: BenchProject,
  database: ServiceDatabase,
): Promise<Measured> {
  const runs = await repeated(context, `event to webhook beside ${HANGING_RECEIVERS} that hang`, async () => {
    await database.untilNothingIsDue();
    const watch = { ...watchOf(service, project), hangingReceivers: HANGING_RECEIVERS };
    return (await context.generator.watchWebhook({ ...watch, rounds: context.scaled(100) })).delivery;
  });
  return {
    row: 'hanging-receivers',
    figure: `event to webhook received beside ${HANGING_RECEIVERS} hanging receivers, p95`,
    unit: 'ms',
    values: runs.map((run) => run.p95),
    floorValues: null,
    target: { kind: 'at_most', value: 5000 },
    details: { runs },
  };
}
