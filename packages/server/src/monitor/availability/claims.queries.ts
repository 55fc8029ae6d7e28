import type { CheckMethod } from '@culprit/contract/monitor/availability-checks';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { type Plan, type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import { checkAllowance } from '../../workspace/billing/plan-limits.ts';
import type { CheckTarget } from './check-outcome.ts';

/** Statements that hand out the runs of checks. */

/** A claim lasts as long as its run may take, and this much longer (docs/contract/account.md 7.5). */
const CLAIM_MARGIN_SECONDS = 10;
/** Later than this a slot is missed. Only the first run of a check waits for a worker, however long. */
const LATE_SECONDS_MAX = 60;
/** No lease reaches so far: one that does is of a clock that was put back since. */
const LEASE_SECONDS_MAX = 60;
/** Due checks among which one claim chooses: of more projects than it can claim for. */
const CHECKS_PER_CLAIM = 500;

const PLANS: readonly Plan[] = ['free', 'solo', 'team'];

/** A run that was claimed and must be made now. Ids are bare UUIDs. */
export interface ClaimedRun {
  checkId: string;
  projectId: string;
  /**
   * Fences the run: as long as the row has this number, no later claim took the check, and its evidence was not
   * dropped.
   */
  claimNumber: number;
  /** The point of the grid it is made for. */
  slotAtMs: number;
  startedAtMs: number;
  /** The time for which no other process claims the check. */
  leaseMs: number;
  target: CheckTarget;
}

/**
 * Claims due checks, at most `runsMax`, in turns among their projects: the many checks of one project delay no other
 * project. Checks that are paused, and those whose time has passed, are moved to their next slot without a run: missed
 * runs are not repeated (docs/contract/account.md 7.5).
 * @returns how many checks were considered
 */
export async function claimRuns(
  database: Queryable,
  plans: PlanSettings,
  runsMax: number,
): Promise<{ runs: ClaimedRun[]; lookedAt: number }> {
  const allowances = PLANS.map((plan) => {
    const { checksMax, intervalSecondsMin } = checkAllowance(plan, plans.isEnforced);
    return { plan, checks_max: checksMax, interval_seconds_min: intervalSecondsMin };
  });
  const rows = await database.query<{
    verdict: 'run' | 'paused' | 'missed';
    check_id: string;
    project_id: string;
    claim_number: number;
    slot_at: number;
    now: number;
    url: string;
    method: CheckMethod;
    expected_status_min: number;
    expected_status_max: number;
    timeout_ms: number;
  }>(CLAIM, [
    runsMax,
    JSON.stringify(allowances),
    planOverride(plans),
    CLAIM_MARGIN_SECONDS,
    LATE_SECONDS_MAX,
    LEASE_SECONDS_MAX,
    CHECKS_PER_CLAIM,
  ]);
  const runs = rows.flatMap((row): ClaimedRun[] =>
    row.verdict === 'run'
      ? [
          {
            checkId: row.check_id,
            projectId: row.project_id,
            claimNumber: row.claim_number,
            slotAtMs: row.slot_at,
            startedAtMs: row.now,
            leaseMs: CLAIM_MARGIN_SECONDS * 1000 + row.timeout_ms,
            target: {
              url: row.url,
              method: row.method,
              expectedStatusMin: row.expected_status_min,
              expectedStatusMax: row.expected_status_max,
              timeoutMs: row.timeout_ms,
            },
          },
        ]
      : [],
  );
  return { runs, lookedAt: rows.length };
}

// A run that is under way was a turn of its project too. The days of a pause are written down when it ends; until then
// they follow from `paused_since`.
const CLAIM = sql('availability-claim')`
    with moment as materialized (select culprit_now() as now), allowances as (
      select * from json_to_recordset($2::json) as a (plan text, checks_max integer, interval_seconds_min integer)
    ), candidates as materialized (
      select c.check_id, c.project_id, c.next_check_at
      from availability_checks c join projects p on p.project_id = c.project_id and p.deleted_at is null
      where c.is_enabled and c.next_check_at <= (select now from moment)
        and (c.leased_until is null or c.leased_until <= (select now from moment)
          or c.leased_until > (select now from moment) + make_interval(secs => $6))
      order by c.next_check_at limit $7
    ), leased as materialized (
      select c.project_id, count(*) as runs from availability_checks c
      where c.project_id in (select project_id from candidates)
        and c.leased_until > (select now from moment)
        and c.leased_until <= (select now from moment) + make_interval(secs => $6)
      group by c.project_id
    ), in_turns as materialized (
      select c.check_id, c.next_check_at, coalesce(l.runs, 0)
        + row_number() over (partition by c.project_id order by c.next_check_at) as turn
      from candidates c left join leased l using (project_id)
    ), due as materialized (
      select c.check_id, c.paused_since, m.now,
        c.grid_at + floor(extract(epoch from m.now - c.grid_at) / c.interval_seconds)::float8
          * make_interval(secs => c.interval_seconds) as slot_at,
        availability_pause(c, a.checks_max, a.interval_seconds_min) is not null as is_paused,
        c.last_checked_at is null as is_first
      from in_turns t
      join availability_checks c on c.check_id = t.check_id
      cross join moment m
      join projects p on p.project_id = c.project_id and p.deleted_at is null
      join organizations o on o.organization_id = p.organization_id
      join allowances a on a.plan = coalesce($3::text, effective_plan(o, m.now))
      where c.is_enabled and c.next_check_at <= m.now
        and (c.leased_until is null or c.leased_until <= m.now
          or c.leased_until > m.now + make_interval(secs => $6))
      order by t.turn, t.next_check_at limit $1
      for update of c skip locked
    ), judged as (
      select *, case when is_paused then 'paused'
        when not is_first and now - slot_at > make_interval(secs => $5) then 'missed' else 'run' end as verdict
      from due
    ), moved as (
      update availability_checks c set
        next_check_at = case when j.verdict = 'run' then j.slot_at
          else j.slot_at + make_interval(secs => c.interval_seconds) end,
        claim_number = c.claim_number + (j.verdict = 'run')::integer,
        leased_until = case when j.verdict = 'run'
          then j.now + make_interval(secs => $4 + c.timeout_ms / 1000.0) end,
        paused_since = case j.verdict when 'paused' then coalesce(c.paused_since, j.now) when 'run' then null
          else c.paused_since end,
        status = case when j.verdict = 'paused' then 'unknown' else c.status end,
        consecutive_failures = case when j.verdict = 'paused' then 0 else c.consecutive_failures end,
        consecutive_successes = case when j.verdict = 'paused' then 0 else c.consecutive_successes end
      from judged j where c.check_id = j.check_id
      returning j.verdict, j.slot_at, j.now, j.paused_since as was_paused_since, c.check_id, c.project_id,
        c.claim_number, c.url, c.method, c.expected_status_min, c.expected_status_max, c.timeout_ms
    ), paused_days as (
      insert into availability_days (check_id, project_id, day, was_paused)
      select m.check_id, m.project_id, generate_series(
          greatest(m.was_paused_since, m.now - interval '30 days') at time zone 'UTC', m.now at time zone 'UTC',
          interval '1 day')::date, true
      from moved m where m.verdict = 'run' and m.was_paused_since is not null
      on conflict (check_id, day) do update set was_paused = true
    )
    select verdict, check_id, project_id, claim_number, slot_at, now, url, method, expected_status_min,
      expected_status_max, timeout_ms
    from moved`;

/** Makes runs due again whose outcome this process will not see. */
export async function releaseRuns(database: Queryable, runs: readonly ClaimedRun[]): Promise<void> {
  await database.query(
    sql('availability-hand-back')`update availability_checks c set leased_until = null
        from unnest($1::uuid[], $2::integer[]) as r (check_id, claim_number)
        where c.check_id = r.check_id and c.claim_number = r.claim_number`,
    [runs.map(({ checkId }) => checkId), runs.map(({ claimNumber }) => claimNumber)],
  );
}

/**
 * Restarts schedules that are far ahead because a clock was set back. They get a separate grid, because the slots of
 * the old one are taken.
 */
export const restartSchedules = statement.run<[]>(
  'availability-restart',
  `update availability_checks set grid_at = culprit_now(), next_check_at = culprit_now()
    where is_enabled and next_check_at > culprit_now() + make_interval(secs => interval_seconds)`,
);
