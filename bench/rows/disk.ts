import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventLoad } from '../load/send-events.ts';
import type { Measured } from '../report/measured.ts';
import type { Service } from '../service/service.ts';
import { RELATION_NAME, type ServiceDatabase } from '../service/service-database.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The permanent size of one event on disk, its share of objects, tables and indexes, and the size that it adds to the
 * log.
 */

const ROW = 'disk';

interface Shape {
  /** The unit for which the bytes are reported. */
  subject: string;
  events: number;
  load: Pick<EventLoad, 'eventsPerRequest' | 'kinds'>;
  targetBytes: number;
  /** The target for the write-ahead log; only for batches. */
  logTargetBytes?: number;
}

const SHAPES: readonly Shape[] = [
  {
    subject: '1.5 KB event in batches of 50',
    events: 40_000,
    load: { eventsPerRequest: 50, kinds: 200 },
    targetBytes: 512,
    logTargetBytes: 600,
  },
  {
    subject: 'lone 1.5 KB event',
    events: 1000,
    load: { eventsPerRequest: 1, kinds: 5 },
    targetBytes: 1536,
  },
  {
    subject: 'new incident, with its event and bundle',
    events: 1000,
    load: { eventsPerRequest: 50, kinds: 1000 },
    targetBytes: 5120,
  },
];

export const disk: RowGroup = {
  rows: [ROW],
  async measure(context) {
    const measured: Measured[] = [];
    for (const shape of SHAPES) {
      const runs = await repeated(context, `disk per ${shape.subject}`, () =>
        withService(context, (service, database) => measureOnce(context, shape, service, database)),
      );
      measured.push({
        row: ROW,
        figure: `disk per ${shape.subject}`,
        unit: 'bytes',
        values: runs.map((run) => run.raw + run.bundles + run.tables),
        floorValues: null,
        target: { kind: 'at_most', value: shape.targetBytes },
        details: { bytesPerEvent: runs },
      });
      if (shape.logTargetBytes === undefined) continue;
      measured.push({
        row: ROW,
        figure: `write-ahead log per ${shape.subject}`,
        unit: 'bytes',
        values: runs.map((run) => run.log),
        floorValues: null,
        target: { kind: 'at_most', value: shape.logTargetBytes },
        details: {},
      });
    }
    return measured;
  },
};

async function measureOnce(
  context: BenchContext,
  shape: Shape,
  service: Service,
  { database, ...waiting }: ServiceDatabase,
): Promise<
  { raw: number; bundles: number; tables: number; log: number } & Record<
    'relations' | 'logOfRelations',
    Record<string, number>
  >
> {
  const project = await service.createProject('disk');
  const objects = join(service.dataDir, 'objects');
  const before = {
    objects: fileBytes(objects),
    relations: await relationBytes(database),
    log: await waiting.logBytes(),
  };
  const sent = await context.generator.send({
    ...shape.load,
    host: service.host,
    port: service.port,
    token: project.projectToken,
    eventSize: 1500,
    // One connection, so that no two batches share an object.
    connections: 1,
    pace: { kind: 'closed', pauseMs: 0 },
    seconds: null,
    events: context.scaled(shape.events),
    warmUpSeconds: 0,
  });
  await waiting.untilProcessed(project, sent.accepted);
  await waiting.untilNothingIsDue();
  await waiting.assertCounted(project, sent.accepted);
  const grown = [...(await relationBytes(database))].map(
    ([name, bytes]) => [name, bytes - (before.relations.get(name) ?? 0)] as const,
  );
  const tables = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
  const log = (await waiting.logBytes()) - before.log;
  const raw = fileBytes(join(objects, 'raw'));
  const bundles = fileBytes(objects) - before.objects - raw;
  const each = (bytes: number) => bytes / sent.accepted;
  return {
    raw: each(raw),
    bundles: each(bundles),
    tables: each(tables),
    log: each(log),
    relations: largestFirst(grown, each),
    logOfRelations: largestFirst(await waiting.logBytesByRelation(before.log), each),
  };
}

interface Sizes {
  query<Row extends object>(statement: { name: string; text: string }): Promise<Row[]>;
}

function largestFirst(
  bytes: Iterable<readonly [relation: string, bytes: number]>,
  each: (bytes: number) => number,
): Record<string, number> {
  const sorted = [...bytes].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.map(([relation, count]) => [relation, each(count)]));
}

/** Tables with all that belongs to them and indexes, by the name of the relation; those of a day as one. */
async function relationBytes(database: Sizes): Promise<Map<string, number>> {
  const rows = await database.query<{ relation: string; bytes: number }>({
    name: 'bench-relation-bytes',
    text: `select ${RELATION_NAME} as relation,
        sum(case when c.relkind = 'i' then pg_relation_size(c.oid) else pg_table_size(c.oid) end)::bigint as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'm', 'i') group by 1`,
  });
  return new Map(rows.map(({ relation, bytes }) => [relation, bytes]));
}

/** Returns the size of files in blocks, directories included. */
function fileBytes(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512;
  }
  return bytes;
}
