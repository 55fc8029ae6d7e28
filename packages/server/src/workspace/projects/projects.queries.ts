import type { Repository } from '@culprit/contract/releases/repository-links';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import type { Plan } from '../billing/plan.ts';

/** Writes a project and its owner's membership. */
export async function insertProject(
  transaction: Transaction,
  project: {
    projectId: string;
    organizationId: string;
    ownerUserId: string;
    name: string;
    slug: string;
    environmentDefault: string;
    weeklyReportTimezone: string;
    capturePreset: string;
    userKey: Buffer;
  },
): Promise<void> {
  await transaction.query(
    sql('project-insert')`insert into projects (project_id, organization_id, name, slug, environment_default,
          weekly_report_timezone, capture_preset, user_key)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      project.projectId,
      project.organizationId,
      project.name,
      project.slug,
      project.environmentDefault,
      project.weeklyReportTimezone,
      project.capturePreset,
      project.userKey,
    ],
  );
  await transaction.query(
    sql(
      'project-owner-insert',
    )`insert into project_members (project_id, user_id, role) values ($1, $2, 'owner')`,
    [project.projectId, project.ownerUserId],
  );
}

/** A live project of an organization by its exact name, the oldest first. */
export const findProjectByName = inTransaction.value<[organizationId: string, name: string], string | null>(
  'project-by-name',
  `select project_id from projects where organization_id = $1 and name = $2 and deleted_at is null
    order by created_at, project_id limit 1`,
  null,
);

/** The slugs of an organization that begin like the given one (`slugStem`). */
export const findSlugs = inTransaction.many<[organizationId: string, stem: string], { slug: string }, string>(
  'project-slugs',
  `select slug from projects
    where organization_id = $1 and deleted_at is null and starts_with(slug, $2)`,
  (row) => row.slug,
);

/** Locks an organization, so that its projects are counted and named by one caller at a time. */
export const lockOrganization = inTransaction.run<[organizationId: string]>(
  'project-organization-lock',
  'select organization_id from organizations where organization_id = $1 for no key update',
);

/** The live projects of an organization. */
export const countLiveProjects = inTransaction.value<[organizationId: string], number>(
  'projects-live',
  'select count(*) as live from projects where organization_id = $1 and deleted_at is null',
  0,
);

/**
 * Holds a live project until the transaction ends, so that only one caller at a time counts its records and adds to
 * them; null when it is gone. Count in a separate statement: this one, if it waited, would count what it saw before.
 * Events are still accepted: the lock of the event intake is compatible with this one.
 */
export const lockProject = inTransaction.one<
  [projectId: string],
  { name: string; environmentDefault: string; heartbeatsFromClients: boolean }
>(
  'project-lock',
  `select name, environment_default as "environmentDefault",
      heartbeats_from_clients as "heartbeatsFromClients" from projects where project_id = $1 and deleted_at is null
    for no key update`,
);

/** New values of a project; null keeps the one there is. */
export interface ProjectChange {
  name: string | null;
  slug: string | null;
  incidentKey: string | null;
  environmentDefault: string | null;
  stackRules: readonly string[] | null;
  learnsSlots: boolean | null;
  showsSource: boolean | null;
  /** 0 turns it off. */
  resolvesAfterDays: number | null;
  heartbeatsFromClients: boolean | null;
  repositories: readonly Repository[] | null;
}

/** Changes nothing. */
export const NO_PROJECT_CHANGE: ProjectChange = {
  name: null,
  slug: null,
  incidentKey: null,
  environmentDefault: null,
  stackRules: null,
  learnsSlots: null,
  showsSource: null,
  resolvesAfterDays: null,
  heartbeatsFromClients: null,
  repositories: null,
};

/** Earlier keys of a project whose numbers still lead to their incidents. */
const FORMER_KEYS_MAX = 10;

/**
 * Changes a live project. With a new slug its organization must be locked, so that no sibling takes the slug in the
 * meantime.
 */
export async function changeProject(
  transaction: Transaction,
  projectId: string,
  change: ProjectChange,
): Promise<'changed' | 'project_not_found' | 'project_slug_taken' | 'incident_key_taken'> {
  if (change.incidentKey !== null) {
    // A separate statement, so that the one below sees what the previous holder wrote.
    await transaction.query(
      sql('incident-keys-lock')`select pg_advisory_xact_lock(hashtextextended('culprit.incident_keys', 0))`,
      [],
    );
  }
  const [row] = await transaction.query<{ is_slug_taken: boolean; is_key_taken: boolean }>(
    sql('project-change')`with found as (
          select p.project_id, exists (
              select from projects sibling
              where sibling.organization_id = p.organization_id and sibling.slug = $3
                and sibling.deleted_at is null and sibling.project_id <> p.project_id
            ) as is_slug_taken, exists (
              select from projects other
              where other.incident_key = $8 and other.deleted_at is null and other.project_id <> p.project_id
            ) as is_key_taken
          from projects p where p.project_id = $1 and p.deleted_at is null for no key update of p
        ), changed as (
          update projects p set name = coalesce($2, p.name), slug = coalesce($3, p.slug),
            environment_default = coalesce($4, p.environment_default),
            stack_rules = coalesce($5::text[], p.stack_rules), learns_slots = coalesce($6, p.learns_slots), shows_source = coalesce($7, p.shows_source),
            resolves_after_days = nullif(coalesce($9, p.resolves_after_days), 0),
            incident_key = coalesce($8, p.incident_key),
            repositories = coalesce($10::jsonb, p.repositories),
            heartbeats_from_clients = coalesce($11, p.heartbeats_from_clients),
            former_incident_keys = case when $8 is null or $8 = p.incident_key then p.former_incident_keys
              else (p.incident_key || array_remove(p.former_incident_keys, $8))[1:${FORMER_KEYS_MAX}] end,
            -- Processes that compare fingerprints cache these rules under the same number as the event filters.
            capture_version = p.capture_version + case when $5::text[] is null then 0 else 1 end,
            updated_at = culprit_now()
          from found where p.project_id = found.project_id and not found.is_slug_taken and not found.is_key_taken
        )
        select is_slug_taken, is_key_taken from found`,
    [
      projectId,
      change.name,
      change.slug,
      change.environmentDefault,
      change.stackRules === null ? null : [...change.stackRules],
      change.learnsSlots,
      change.showsSource,
      change.incidentKey,
      change.resolvesAfterDays,
      change.repositories === null ? null : JSON.stringify(change.repositories),
      change.heartbeatsFromClients,
    ],
  );
  if (row === undefined) return 'project_not_found';
  if (row.is_slug_taken) return 'project_slug_taken';
  return row.is_key_taken ? 'incident_key_taken' : 'changed';
}

/** The plan an organization has now by its own terms. */
export async function findOrganizationPlan(transaction: Transaction, organizationId: string): Promise<Plan> {
  const [row] = await transaction.query<{ plan: Plan }>(
    sql(
      'project-organization-plan',
    )`select effective_plan(o, culprit_now()) as plan from organizations o where o.organization_id = $1`,
    [organizationId],
  );
  if (row === undefined) throw new Error('the organization is gone');
  return row.plan;
}
