import type { Role } from '@culprit/contract/endpoints/endpoint';
import type { Project } from '@culprit/contract/workspace/projects';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { isSharedAccessSuspended } from '../access/project-access.ts';
import { COUNTED_BUNDLE } from '../billing/counted-bundles.ts';
import { type Plan, type PlanSettings, planOverride } from '../billing/plan.ts';

/**
 * Records of the projects a person has a place in, with their counts, newest first (docs/contract/incidents.md 7.2).
 * @param page.projectId bare: only this project
 */
export async function listProjectRecords(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  page: TimePage & { projectId: string | null },
): Promise<Project[]> {
  const rows = await database.query<ProjectRow>(LIST, [userId, page.projectId, ...pageParameters(page)]);
  return rows.map((row) => recordOf(row, plans));
}

interface ProjectRow {
  project_id: string;
  organization_id: string;
  owner_user_id: string;
  owner_email: string;
  role: Role;
  is_shared: boolean;
  name: string;
  slug: string;
  incident_key: string;
  environment_default: string;
  stack_rules: string[];
  learns_slots: boolean;
  shows_source: boolean;
  resolves_after_days: number | null;
  heartbeats_from_clients: boolean;
  repositories: Project['repositories'];
  plan: Plan;
  created_at: number;
  updated_at: number;
  open_incidents: number;
  regressed_incidents: number;
  attention_incidents_today: number;
  opened_incidents_today: number;
  opened_incidents_month: number;
  monthly_bundle_requests: number;
  monthly_raw_ingested_events: number;
  retained_bundles: number;
  monthly_alert_deliveries: number;
}

// The page is chosen first; each count then reads the project's part of an index and nothing else: a project can have a
// hundred thousand incidents, and every screen of it reads its record. So the active ones are counted without looking at
// their status, of which the index has only that they are not resolved, and those that are open are the rest. Sample data
// are few and have an index of their own, so they are counted alone and subtracted.
const LIST = sql('project-records')`
    with clock as materialized (
      select culprit_now() as now, date_trunc('day', culprit_now(), 'UTC') as today,
        date_trunc('month', culprit_now(), 'UTC') as month
    ), page as (
      select p.project_id, p.organization_id, p.name, p.slug, p.incident_key, p.environment_default, p.stack_rules,
        p.learns_slots, p.shows_source, p.resolves_after_days, p.heartbeats_from_clients, p.repositories, p.created_at, p.updated_at, m.role
      from project_members m
      join projects p on p.project_id = m.project_id and p.deleted_at is null
      where m.user_id = $1 and ($2::uuid is null or m.project_id = $2)
        and ($3::timestamptz is null or (p.created_at, p.project_id) < ($3, $4::uuid))
      order by p.created_at desc, p.project_id desc limit $5
    )
    select page.*, o.owner_user_id, u.email as owner_email, effective_plan(o, clock.now) as plan,
      exists (select from project_members m where m.project_id = page.project_id and m.role <> 'owner') as is_shared,
      active.incidents - regressed.incidents - sample.open as open_incidents,
      regressed.incidents - sample.regressed as regressed_incidents,
      opened.today - sample.today as opened_incidents_today, opened.month - sample.month as opened_incidents_month,
      opened.today - sample.today - sample.regressed_today + (
        select count(*) from incidents i where i.project_id = page.project_id
          and i.regressed_at >= clock.today and i.first_seen_at < clock.today
      ) as attention_incidents_today,
      (select count(*) from bundles b where b.project_id = page.project_id and b.status = 'ready' and ${COUNTED_BUNDLE})
        as retained_bundles,
      used.bundles as monthly_bundle_requests, used.events as monthly_raw_ingested_events,
      used.alerts as monthly_alert_deliveries
    from clock cross join page
    join organizations o on o.organization_id = page.organization_id
    join users u on u.user_id = o.owner_user_id
    cross join lateral (
      select count(*) as incidents from incidents i where i.project_id = page.project_id and i.status <> 'resolved'
    ) active
    cross join lateral (
      select count(*) as incidents from incidents i
      where i.project_id = page.project_id and i.status = 'regressed' and i.regressed_at is not null
    ) regressed
    cross join lateral (
      select count(*) as month, count(*) filter (where i.first_seen_at >= clock.today) as today
      from incidents i where i.project_id = page.project_id and i.first_seen_at >= clock.month
    ) opened
    cross join lateral (
      select count(*) filter (where not is_regressed and i.status <> 'resolved') as open,
        count(*) filter (where is_regressed) as regressed,
        count(*) filter (where i.first_seen_at >= clock.month) as month,
        count(*) filter (where i.first_seen_at >= clock.today) as today,
        count(*) filter (where i.regressed_at >= clock.today and i.first_seen_at < clock.today) as regressed_today
      from incidents i cross join lateral (
        select i.status = 'regressed' and i.regressed_at is not null as is_regressed) s
      where i.project_id = page.project_id and i.sample_id is not null
    ) sample
    cross join lateral (
      select
        coalesce(sum(used) filter (where meter = 'monthly_bundle_requests'), 0)::bigint as bundles,
        coalesce(sum(used) filter (where meter = 'monthly_raw_ingested_events'), 0)::bigint as events,
        coalesce(sum(used) filter (where meter = 'monthly_alert_deliveries'), 0)::bigint as alerts
      from project_usage pu where pu.project_id = page.project_id and pu.month_started_at = clock.month
    ) used
    order by page.created_at desc, page.project_id desc`;

function recordOf(row: ProjectRow, plans: PlanSettings): Project {
  const { role } = row;
  const plan = planOverride(plans) ?? row.plan;
  return {
    project_id: prefixedId('proj', row.project_id),
    organization_id: row.organization_id,
    owner_user_id: row.owner_user_id,
    owner_email: row.owner_email,
    relationship: role === 'owner' ? 'owned' : 'shared',
    sharing_state: role !== 'owner' ? 'shared_with_you' : row.is_shared ? 'shared_by_you' : 'private',
    effective_role: role,
    shared_access_suspended: isSharedAccessSuspended(plans, { role, plan }),
    name: row.name,
    slug: row.slug,
    incident_key: row.incident_key,
    environment_default: row.environment_default,
    organization_plan: plan,
    stack_rules: row.stack_rules,
    learns_slots: row.learns_slots,
    shows_source: row.shows_source,
    resolves_after_days: row.resolves_after_days,
    heartbeats_from_clients: row.heartbeats_from_clients,
    repositories: row.repositories,
    metrics: {
      open_incidents: row.open_incidents,
      regressed_incidents: row.regressed_incidents,
      attention_incidents_today: row.attention_incidents_today,
      opened_incidents_today: row.opened_incidents_today,
      opened_incidents_month: row.opened_incidents_month,
      monthly_bundle_requests: row.monthly_bundle_requests,
      monthly_raw_ingested_events: row.monthly_raw_ingested_events,
      retained_bundles: row.retained_bundles,
      monthly_alert_deliveries: row.monthly_alert_deliveries,
    },
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
