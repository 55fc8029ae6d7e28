import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import type { PurgeStep, PurgeThrough, Table } from '../../table.ts';

/** The tables whose rows go with their incident. */
export function incidentTables(tables: readonly Table[]): Table[] {
  return tables.filter((table) => purgeStepsOf(table).includes('by_incident'));
}

/**
 * Returns the steps that remove the rows of a deleted project from a table, if they are removed before the project's
 * own row.
 */
export function purgeStepsOf({ purge }: Table): readonly PurgeStep[] {
  return typeof purge === 'string' ? [] : purge;
}

/** `deleted`: its storage may be emptied; `live`: it must not; `gone`: nothing is left of it. */
export async function findPurgeState(
  database: Queryable,
  projectId: string,
): Promise<'deleted' | 'live' | 'gone'> {
  const [row] = await database.query<{ is_deleted: boolean }>(
    sql('purge-state')`select deleted_at is not null as is_deleted from projects where project_id = $1`,
    [projectId],
  );
  if (row === undefined) return 'gone';
  return row.is_deleted ? 'deleted' : 'live';
}

/** Removes up to `limit` of a project's rows of a table that is purged `by_project`; returns how many. */
export async function purgeRows(
  database: Queryable,
  table: string,
  projectId: string,
  limit: number,
): Promise<number> {
  const [row] = await database.query<{ purged: number }>(
    sql(`purge-rows-${table}`)`with gone as (
          delete from ${table} where ctid = any (array(select ctid from ${table} where project_id = $1 limit $2))
          returning 1
        )
        select count(*) as purged from gone`,
    [projectId, limit],
  );
  return row?.purged ?? 0;
}

/** Blocks of a table; of the largest partition where it has some. */
export const countBlocks = statement.value<[table: string], number>(
  'purge-blocks',
  `select max(pg_relation_size(oid) / current_setting('block_size')::bigint) as blocks
    from (select $1::regclass as oid union select relid from pg_partition_tree($1::regclass)) as tables`,
  0,
);

/** Removes a project's rows from some blocks of a table; from these blocks of each partition where it has some. */
export async function purgeBlocks(
  database: Queryable,
  table: string,
  projectId: string,
  blocks: { from: number; to: number },
): Promise<void> {
  await database.query(
    sql(
      `purge-blocks-${table}`,
    )`delete from ${table} where project_id = $1 and ctid >= $2::tid and ctid < $3::tid`,
    [projectId, `(${blocks.from},0)`, `(${blocks.to},0)`],
  );
}

/** Removes rows of a table that belong to a project by a parent's rows; before these, by which they are found. */
export async function purgeThrough(
  database: Queryable,
  table: string,
  { through, key }: PurgeThrough,
  projectId: string,
): Promise<void> {
  await database.query(
    sql(
      `purge-through-${table}`,
    )`delete from ${table} where ${key} in (select ${key} from ${through} where project_id = $1)`,
    [projectId],
  );
}

/** The same, where the parent is read some blocks at a time. */
export async function purgeThroughBlocks(
  database: Queryable,
  table: string,
  { through, key, inBlocksWhere }: PurgeThrough & { inBlocksWhere: string },
  projectId: string,
  blocks: { from: number; to: number },
): Promise<void> {
  await database.query(
    sql(`purge-through-blocks-${table}`)`delete from ${table} using (
          select ${key} from ${through}
          where project_id = $1 and ${inBlocksWhere} and ctid >= $2::tid and ctid < $3::tid
        ) parents
        where ${table}.${key} = parents.${key}`,
    [projectId, `(${blocks.from},0)`, `(${blocks.to},0)`],
  );
}

/** Some incidents of a project that are left. */
export const findPurgeIncidents = statement.many<
  [projectId: string, limit: number],
  { incident_id: string },
  string
>(
  'purge-incidents',
  'select incident_id from incidents where project_id = $1 limit $2',
  (row) => row.incident_id,
);

/** Removes what a table that is purged `by_incident` holds of some incidents of a project. */
export async function purgeIncidentRows(
  transaction: Queryable,
  { name, isKeyedByProject }: Table,
  projectId: string,
  incidentIds: readonly string[],
): Promise<void> {
  const ofIncidents = `delete from ${name} where incident_id = any ($1::uuid[])`;
  await transaction.query(
    {
      name: `purge-incident-${name}`,
      text: isKeyedByProject ? `${ofIncidents} and project_id = $2` : ofIncidents,
    },
    [[...incidentIds], ...(isKeyedByProject ? [projectId] : [])],
  );
}

/** Removes the project itself and every job of it but the one that empties it. */
export async function purgeProjectRow(
  transaction: Transaction,
  projectId: string,
  ownJobId: number,
): Promise<void> {
  await transaction.query(sql('purge-jobs')`delete from jobs where fairness_key = $1 and job_id <> $2`, [
    projectId,
    ownJobId,
  ]);
  await transaction.query(
    sql('purge-project')`delete from projects where project_id = $1 and deleted_at is not null`,
    [projectId],
  );
}
