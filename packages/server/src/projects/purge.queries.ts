import type { Queryable } from '../platform/db/database.ts';

/** How the rows of a deleted project are found in a table. Each way does a bounded piece of work per statement. */
export type PurgeWay =
  /** By `project_id`, which leads an index, some thousand rows at a time: for tables in which a project has few. */
  | 'by_project'
  /**
   * By `project_id`, some blocks of the table at a time: where a project has very many rows, and where no index is kept
   * for the rare deletion of one. Each block is read once, whatever else the table holds.
   */
  | 'by_blocks'
  /** By `incident_id`, together with the incident. */
  | 'by_incident';

/** Every table with rows that belong to a project or to one of its incidents, but for those below. */
export const PURGED_TABLES: readonly { table: string; way: PurgeWay }[] = [
  { table: 'incident_minutes', way: 'by_incident' },
  { table: 'incident_members', way: 'by_incident' },
  { table: 'incident_sketches', way: 'by_incident' },
  { table: 'incident_samples', way: 'by_incident' },
  { table: 'incident_context', way: 'by_incident' },
  { table: 'lifecycle_events', way: 'by_incident' },
  { table: 'bundles', way: 'by_incident' },
  { table: 'incidents', way: 'by_incident' },
  { table: 'events', way: 'by_blocks' },
  { table: 'event_ids', way: 'by_blocks' },
  { table: 'deployments', way: 'by_project' },
  { table: 'services', way: 'by_project' },
  { table: 'batches', way: 'by_blocks' },
  { table: 'dead_letters', way: 'by_blocks' },
  { table: 'object_tombstones', way: 'by_blocks' },
  { table: 'incident_tombstones', way: 'by_project' },
  { table: 'event_fates', way: 'by_project' },
  { table: 'project_usage', way: 'by_project' },
  { table: 'capture_rules', way: 'by_project' },
  { table: 'probe_activations', way: 'by_project' },
  // Before the checks, with which the rest of them would go at once.
  { table: 'availability_results', way: 'by_blocks' },
  { table: 'availability_days', way: 'by_blocks' },
  { table: 'availability_checks', way: 'by_project' },
  { table: 'availability_tests', way: 'by_project' },
  // Before the messages, with which the rest of them would go at once.
  { table: 'alert_deliveries', way: 'by_project' },
  { table: 'alert_messages', way: 'by_project' },
  { table: 'alert_receivers', way: 'by_project' },
  { table: 'alert_rules', way: 'by_project' },
  // Before the webhooks, with which the rest of them would go at once.
  { table: 'webhook_deliveries', way: 'by_blocks' },
  { table: 'webhooks', way: 'by_project' },
  { table: 'slack_installs', way: 'by_project' },
  { table: 'weekly_report_channels', way: 'by_project' },
  // Before the improvements, with which the rest of them would go at once.
  { table: 'improvement_counters', way: 'by_blocks' },
  { table: 'improvement_attempts', way: 'by_project' },
  { table: 'improvement_samples', way: 'by_blocks' },
  { table: 'improvements', way: 'by_project' },
  { table: 'project_invites', way: 'by_blocks' },
  { table: 'project_members', way: 'by_project' },
  { table: 'project_tokens', way: 'by_project' },
];

/**
 * What else names a project: its own row and the job that empties it go last, and the trail of what people did stays
 * (account.md 13).
 */
export const UNPURGED_TABLES: readonly string[] = ['projects', 'jobs', 'audit_log'];

/** `deleted`: its storage may be emptied; `live`: it must not; `gone`: nothing is left of it. */
export async function findPurgeState(
  database: Queryable,
  projectId: string,
): Promise<'deleted' | 'live' | 'gone'> {
  const [row] = await database.query<{ is_deleted: boolean }>(
    {
      name: 'purge-state',
      text: 'select deleted_at is not null as is_deleted from projects where project_id = $1',
    },
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
    {
      name: `purge-rows-${table}`,
      text: `with gone as (
          delete from ${table} where ctid = any (array(select ctid from ${table} where project_id = $1 limit $2))
          returning 1
        )
        select count(*) as purged from gone`,
    },
    [projectId, limit],
  );
  return row?.purged ?? 0;
}

/** Blocks of a table; of the largest partition where it has some. */
export async function countBlocks(database: Queryable, table: string): Promise<number> {
  const [row] = await database.query<{ blocks: number }>(
    {
      name: 'purge-blocks',
      text: `select max(pg_relation_size(oid) / current_setting('block_size')::bigint) as blocks
        from (select $1::regclass as oid union select relid from pg_partition_tree($1::regclass)) as tables`,
    },
    [table],
  );
  return row?.blocks ?? 0;
}

/** Removes a project's rows from some blocks of a table; from these blocks of each partition where it has some. */
export async function purgeBlocks(
  database: Queryable,
  table: string,
  projectId: string,
  blocks: { from: number; to: number },
): Promise<void> {
  await database.query(
    {
      name: `purge-blocks-${table}`,
      text: `delete from ${table} where project_id = $1 and ctid >= $2::tid and ctid < $3::tid`,
    },
    [projectId, `(${blocks.from},0)`, `(${blocks.to},0)`],
  );
}

/** Removes the markers of a project's split batches; before the batches, by which they are found. */
export async function purgeBatchParts(
  database: Queryable,
  projectId: string,
  blocks: { from: number; to: number },
): Promise<void> {
  await database.query(
    {
      name: 'purge-batch-parts',
      text: `delete from batch_parts p using batches b
        where b.project_id = $1 and b.split_at is not null and b.ctid >= $2::tid and b.ctid < $3::tid
          and p.batch_id = b.batch_id`,
    },
    [projectId, `(${blocks.from},0)`, `(${blocks.to},0)`],
  );
}

/** Some incidents of a project that are left. */
export async function findPurgeIncidents(
  database: Queryable,
  projectId: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ incident_id: string }>(
    {
      name: 'purge-incidents',
      text: 'select incident_id from incidents where project_id = $1 limit $2',
    },
    [projectId, limit],
  );
  return rows.map((row) => row.incident_id);
}

/** Removes what a table that is purged `by_incident` holds of some incidents. */
export async function purgeIncidentRows(
  transaction: Queryable,
  table: string,
  incidentIds: readonly string[],
): Promise<void> {
  await transaction.query(
    {
      name: `purge-incident-${table}`,
      text: `delete from ${table} where incident_id = any ($1::uuid[])`,
    },
    [[...incidentIds]],
  );
}

/** Removes the rate windows of a project's tokens; before the tokens, by which they are found. */
export async function purgeRateWindows(database: Queryable, projectId: string): Promise<void> {
  await database.query(
    {
      name: 'purge-rate-windows',
      text: `delete from rate_windows where token_id in (select token_id from project_tokens where project_id = $1)`,
    },
    [projectId],
  );
}

/** Removes the uncounted hits of a project's capture rules; before the rules, by which they are found. */
export async function purgeRuleHits(database: Queryable, projectId: string): Promise<void> {
  await database.query(
    {
      name: 'purge-rule-hits',
      text: `delete from capture_rule_hits
        where rule_id in (select rule_id from capture_rules where project_id = $1)`,
    },
    [projectId],
  );
}

/** Removes what the ledger told of a project's improvements; before these, by which it is found. */
export async function purgeImprovementLedger(database: Queryable, projectId: string): Promise<void> {
  await database.query(
    {
      name: 'purge-improvement-ledger',
      text: `delete from lifecycle_events
        where improvement_id in (select improvement_id from improvements where project_id = $1)`,
    },
    [projectId],
  );
}

/** Removes the project itself and every job of it but the one that empties it. */
export async function purgeProjectRow(
  transaction: Queryable,
  projectId: string,
  ownJobId: number,
): Promise<void> {
  await transaction.query(
    {
      name: 'purge-jobs',
      text: 'delete from jobs where project_id = $1 and job_id <> $2',
    },
    [projectId, ownJobId],
  );
  await transaction.query(
    {
      name: 'purge-project',
      text: 'delete from projects where project_id = $1 and deleted_at is not null',
    },
    [projectId],
  );
}
