import { setTimeout as delay } from 'node:timers/promises';
import { startLoadGenerator } from '../load/load-generator.ts';
import type { BodyShape } from '../load/send-bodies.ts';
import type { EventLoad } from '../load/send-events.ts';
import type { Measured } from '../report/measured.ts';
import type { Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The time of the small requests of one tenant while another one sends bodies of a megabyte and unusual shape. */

const ROW = 'unusual-bodies';
const SHAPES: readonly BodyShape[] = ['empty objects', 'wide contexts'];
const CONNECTIONS = [1, 64];
const REQUESTS_PER_SECOND = 50;
const TARGET_P95_MS = 250;
/** The bodies are under way when the other tenant begins, and still when it ends. */
const LEAD_SECONDS = 1;

export const unusualBodies: RowGroup = {
  rows: [ROW],
  measure: (context) =>
    withService(context, async (service, database) => {
      const measured: Measured[] = [];
      for (const shape of SHAPES) {
        for (const connections of CONNECTIONS) {
          measured.push(await measureBeside(context, service, database, { shape, connections }));
        }
      }
      return measured;
    }),
};

async function measureBeside(
  context: BenchContext,
  service: Service,
  database: ServiceDatabase,
  { shape, connections }: { shape: BodyShape; connections: number },
): Promise<Measured> {
  const { host, port } = service;
  const name = `${shape}, ${connections} in parallel`;
  const sender = await service.createProject(`unusual ${name}`);
  const tenant = await service.createProject(`beside ${name}`);
  const seconds = context.scaled(8);
  const load: EventLoad = {
    host,
    port,
    token: tenant.projectToken,
    eventSize: 1500,
    eventsPerRequest: 1,
    connections: 16,
    kinds: 50,
    pace: { kind: 'open', requestsPerSecond: REQUESTS_PER_SECOND },
    warmUpSeconds: 1,
    seconds,
    events: null,
    isRefusalExpected: true,
  };
  const runs = await repeated(context, `beside bodies of ${name}`, async () => {
    await database.untilNothingIsDue();
    const generator = startLoadGenerator();
    try {
      const bodies = generator.sendBodies({
        host,
        port,
        token: sender.projectToken,
        shape,
        connections,
        seconds: LEAD_SECONDS + load.warmUpSeconds + seconds + LEAD_SECONDS,
      });
      await delay(LEAD_SECONDS * 1000);
      const { latency, requests, refused } = await context.generator.send(load);
      return { latency, requests, refused, answers: (await bodies).answers };
    } finally {
      generator.stop();
    }
  });
  return {
    row: ROW,
    figure: `202 beside bodies of ${name}, p95`,
    unit: 'ms',
    values: runs.map((run) => run.latency.p95),
    floorValues: null,
    target: { kind: 'at_most', value: TARGET_P95_MS },
    details: { runs },
  };
}
