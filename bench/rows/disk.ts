import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** What one event takes on disk for good: its share of objects, tables and indexes. */

const EVENTS = 40_000;

export const disk: RowGroup = {
  rows: ['disk'],
  async measure(context) {
    const runs = await repeated(context, 'disk', () =>
      withService(context, async (service, { database, ...waiting }) => {
        const project = await service.createProject('disk');
        const objects = join(service.dataDir, 'objects');
        const before = { objects: fileBytes(objects), tables: await tableBytes(database) };
        const sent = await context.generator.send({
          host: service.host,
          port: service.port,
          token: project.projectToken,
          eventSize: 1500,
          eventsPerRequest: 50,
          // One connection, so that no two batches share an object.
          connections: 1,
          kinds: 200,
          pace: { kind: 'closed', pauseMs: 0 },
          seconds: null,
          events: context.scaled(EVENTS),
          warmUpSeconds: 0,
        });
        await waiting.untilProcessed(project, sent.accepted);
        await waiting.untilNothingIsDue();
        await waiting.assertCounted(project, sent.accepted);
        const tables = (await tableBytes(database)) - before.tables;
        const raw = fileBytes(join(objects, 'raw'));
        const bundles = fileBytes(objects) - before.objects - raw;
        const each = (bytes: number) => bytes / sent.accepted;
        return { raw: each(raw), bundles: each(bundles), tables: each(tables) };
      }),
    );
    return [
      {
        row: 'disk',
        figure: 'disk per 1.5 KB event in batches of 50',
        unit: 'bytes',
        values: runs.map((run) => run.raw + run.bundles + run.tables),
        floorValues: null,
        target: { kind: 'at_most', value: 1024 },
        details: { bytesPerEvent: runs },
      },
    ];
  },
};

interface Sizes {
  query<Row extends object>(statement: { name: string; text: string }): Promise<Row[]>;
}

/** Tables, indexes and all that belongs to them, without the log. */
async function tableBytes(database: Sizes): Promise<number> {
  const [row] = await database.query<{ bytes: number }>({
    name: 'bench-table-bytes',
    text: `select sum(pg_total_relation_size(c.oid))::bigint as bytes from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'm')`,
  });
  return row?.bytes ?? 0;
}

/** What files take in blocks, directories included. */
function fileBytes(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512;
  }
  return bytes;
}
