import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';

/** Everything by which rows can belong to a project, taken while it is there. */
export interface ProjectIdentity {
  projectId: string;
  /** Ids by the column that holds them. */
  ids: Readonly<Record<IdColumn, string[]>>;
}

const ID_COLUMNS = ['project_id', 'incident_id', 'batch_id', 'token_id', 'rule_id'] as const;
type IdColumn = (typeof ID_COLUMNS)[number];

/** Of a project: rows by table, and its object files. */
interface ProjectTraces {
  rows: Record<string, number>;
  objects: string[];
}

/** Tables, partitions aside, that have one of the columns. */
async function tablesWithColumn(culprit: TestCulprit, columns: readonly string[]): Promise<string[]> {
  const rows = await culprit.database.query<{ name: string }>(
    {
      name: 'test-tables-with-column',
      text: `select distinct c.relname::text as name
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
        join pg_attribute a on a.attrelid = c.oid and not a.attisdropped and a.attname = any ($1::text[])
        where c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    },
    [[...columns]],
  );
  return rows.map((row) => row.name);
}

/** Reads what a project's rows are known by. */
export async function identifyProject(culprit: TestCulprit, projectId: string): Promise<ProjectIdentity> {
  const id = parseId(['proj'], projectId) ?? '';
  async function idsOf(column: IdColumn, table: string): Promise<string[]> {
    const rows = await culprit.database.query<{ id: string }>(
      { name: `test-identify-${table}`, text: `select ${column} as id from ${table} where project_id = $1` },
      [id],
    );
    return rows.map((row) => row.id);
  }
  return {
    projectId: id,
    ids: {
      project_id: [id],
      incident_id: await idsOf('incident_id', 'incidents'),
      batch_id: await idsOf('batch_id', 'batches'),
      token_id: await idsOf('token_id', 'project_tokens'),
      rule_id: await idsOf('rule_id', 'capture_rules'),
    },
  };
}

/** Rows that belong to the project, in whatever table, and its files. */
export async function readTraces(culprit: TestCulprit, project: ProjectIdentity): Promise<ProjectTraces> {
  const rows: Record<string, number> = {};
  for (const { table, count } of await readRows(culprit, project)) if (count > 0) rows[table] = count;
  return { rows, objects: await listObjects(culprit, project.projectId) };
}

/** What the rows of a project and the names of its files say, so that two looks can be compared. */
export async function fingerprintProject(culprit: TestCulprit, project: ProjectIdentity) {
  return { rows: await readRows(culprit, project), objects: await listObjects(culprit, project.projectId) };
}

async function readRows(
  culprit: TestCulprit,
  project: ProjectIdentity,
): Promise<{ table: string; count: number; digest: string | null }[]> {
  const found = [];
  for (const table of await tablesWithColumn(culprit, ID_COLUMNS)) {
    const columns = await culprit.database.query<{ name: IdColumn }>(
      {
        name: 'test-id-columns',
        text: `select attname::text as name from pg_attribute
          where attrelid = $1::regclass and not attisdropped and attname = any ($2::text[]) order by 1`,
      },
      [table, [...ID_COLUMNS]],
    );
    const conditions = columns.map(({ name }, index) => `t.${name} = any ($${index + 1}::uuid[])`);
    const [row] = await culprit.database.query<{ count: number; digest: string | null }>(
      {
        name: `test-traces-${table}`,
        text: `select count(*) as count, md5(string_agg(t::text, '|' order by t::text)) as digest
          from ${table} t where ${conditions.join(' or ')}`,
      },
      columns.map(({ name }) => project.ids[name]),
    );
    found.push({ table, count: row?.count ?? 0, digest: row?.digest ?? null });
  }
  return found;
}

async function listObjects(culprit: TestCulprit, projectId: string): Promise<string[]> {
  const entries = await readdir(culprit.objectDirectory, { recursive: true });
  return entries.filter((path) => join(path).split('/').includes(projectId)).sort();
}
