import type { Role } from '@culprit/contract/endpoints/endpoint';
import type { RecordKind } from '@culprit/contract/endpoints/scope';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { type Plan, type PlanSettings, planOverride } from '../billing/plan.ts';
import { type ProjectAccess, sharedAccessPlan } from './project-access.ts';

/** Statements that answer what a person may see. Each is bound to the person or to a project they may see. */

/**
 * The table and columns in which records of one kind are found; constants of the feature that owns the table, never a
 * request's text.
 */
export interface RecordTable {
  /** With its alias, and joins where the project is not in the table itself. */
  from: string;
  /** Columns of `from`. */
  projectId: string;
  recordId: string;
  /** Excludes records that are never shown. */
  condition?: string;
  /**
   * Only for records that have short numbers: returns the bare ids of those that a person may see, by number as it was
   * written.
   */
  findByShortIds?: (
    database: Queryable,
    userId: string,
    shortIds: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
}

export type RecordTables = Readonly<Record<RecordKind, RecordTable>>;

interface AccessRow {
  project_id: string;
  organization_id: string;
  owner_user_id: string;
  role: Role;
  plan: Plan;
}

const ACCESS_COLUMNS = `p.project_id, p.organization_id, o.owner_user_id, m.role,
  effective_plan(o, culprit_now()) as plan`;

/** The membership of a person in a live project; null when they have none, or it does not exist. */
export async function findProjectAccess(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  projectId: string,
): Promise<ProjectAccess | null> {
  const [row] = await database.query<AccessRow>(
    sql('project-access')`select ${ACCESS_COLUMNS}
        from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        where m.user_id = $1 and m.project_id = $2`,
    [userId, projectId],
  );
  return row === undefined ? null : accessOf(plans, row);
}

/** The ids of every project a person may read now: those whose shared access is paused are left out. */
export async function findAccessibleProjects(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
): Promise<string[]> {
  const rows = await database.query<{ project_id: string }>(
    sql('projects-accessible')`select p.project_id from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        where m.user_id = $1 and not shared_access_suspended(m.role, o, $2)`,
    [userId, sharedAccessPlan(plans)],
  );
  return rows.map((row) => row.project_id);
}

/** Those of the records that lie in projects of the person, each with what they may do there. */
export async function findRecordAccess(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  table: RecordTable,
  recordIds: readonly string[],
): Promise<(ProjectAccess & { recordId: string })[]> {
  const rows = await database.query<AccessRow & { record_id: string }>(
    sql(`record-access-${table.recordId}`)`select ${ACCESS_COLUMNS}, ${table.recordId} as record_id
        from ${table.from}
        join projects p on p.project_id = ${table.projectId} and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        join project_members m on m.project_id = p.project_id and m.user_id = $1
        where ${table.recordId} = any ($2::uuid[])${conditionOf(table)}`,
    [userId, [...recordIds]],
  );
  return rows.map((row) => ({ ...accessOf(plans, row), recordId: row.record_id }));
}

/** Returns true if a project has the record. */
export async function hasRecord(
  database: Queryable,
  table: RecordTable,
  projectId: string,
  recordId: string,
): Promise<boolean> {
  const rows = await database.query(
    sql(`record-there-${table.recordId}`)`select from ${table.from}
        where ${table.projectId} = $1 and ${table.recordId} = $2${conditionOf(table)}`,
    [projectId, recordId],
  );
  return rows.length > 0;
}

function conditionOf({ condition }: RecordTable): string {
  return condition === undefined ? '' : ` and ${condition}`;
}

function accessOf(plans: PlanSettings, row: AccessRow): ProjectAccess {
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    ownerUserId: row.owner_user_id,
    role: row.role,
    plan: planOverride(plans) ?? row.plan,
  };
}
