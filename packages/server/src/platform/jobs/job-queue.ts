import type { Queryable, Transaction } from '../db/database.ts';
import { sql } from '../db/statement.ts';

/** A claimed job. `attempt` fences it: only the holder of the newest attempt may finish or extend it. */
export interface Job {
  jobId: number;
  lane: string;
  kind: string;
  /** The project, or whatever else the lane serves in turn. */
  fairnessKey: string;
  key: string | null;
  payload: Record<string, unknown>;
  revision: number;
  attempt: number;
  failures: number;
}

/** Thrown when the lease of a job ran out and another worker may hold it; the work must be rolled back. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/**
 * Holding time of a claim by the database clock, and how often a holder extends it (docs/contract/reliability.md A3).
 */
export const LEASE_SECONDS = 30;
export const HEARTBEAT_INTERVAL_MS = 10_000;

/**
 * Fairness keys examined in one claim; after one that found nothing due among them, the next continues after the last.
 */
const KEYS_PER_CLAIM = 500;

/** Waits after each failed attempt; the last one repeats (docs/contract/incidents.md 5.1, 3.9). */
export type RetryDelays = readonly number[];

/**
 * Claims up to `limit` due jobs of one fairness key, the next after `afterKey`, so that no project takes every worker.
 * A claim that finds an expired lease counts it as a failed attempt. A job that failed before is claimed alone: what
 * ends its attempt, be it the whole process, counts against no other job.
 * @param excludedKeys fairness keys whose jobs are not claimed
 */
export async function claimJobs(
  database: Queryable,
  lane: { name: string; kinds: readonly string[] },
  afterKey: string,
  limit: number,
  excludedKeys: readonly string[] = [],
): Promise<Claim> {
  const rows = await database.query<JobRow | { job_id: null; continue_after: string | null }>(CLAIM, [
    lane.name,
    afterKey,
    KEYS_PER_CLAIM,
    limit,
    LEASE_SECONDS,
    [...lane.kinds],
    [...excludedKeys],
  ]);
  const jobs: Job[] = [];
  for (const row of rows) {
    if (row.job_id === null) continue;
    jobs.push({
      jobId: row.job_id,
      lane: lane.name,
      kind: row.kind,
      fairnessKey: row.fairness_key,
      key: row.key,
      payload: row.payload,
      revision: row.revision,
      attempt: row.attempt,
      failures: row.failures,
    });
  }
  return { jobs, continueAfter: rows[0]?.continue_after ?? null };
}

/** The result of a claim, and the fairness key after which the next one continues; null when it was the last. */
interface Claim {
  jobs: Job[];
  continueAfter: string | null;
}

interface JobRow {
  continue_after: string | null;
  job_id: number;
  kind: string;
  fairness_key: string;
  key: string | null;
  payload: Record<string, unknown>;
  revision: number;
  attempt: number;
  failures: number;
}

// The recursive part is a skip scan over the index (lane, fairness_key, run_at): one probe for each key. Kinds that are
// new to this release stay in the queue for a later one.
const CLAIM = sql('jobs-claim')`
    with recursive keys (fairness_key, n) as (
      (select fairness_key, 1 from jobs where lane = $1 and fairness_key > $2 order by fairness_key limit 1)
      union all
      select (select j.fairness_key from jobs j where j.lane = $1 and j.fairness_key > t.fairness_key
              order by j.fairness_key limit 1), t.n + 1
      from keys t where t.fairness_key is not null and t.n < $3
    ), chosen as (
      select t.fairness_key from keys t
      where t.fairness_key is not null and t.fairness_key <> all ($7::uuid[]) and exists (
        select from jobs j where j.lane = $1 and j.fairness_key = t.fairness_key and j.run_at <= culprit_now()
          and (j.leased_until is null or j.leased_until < culprit_now()) and j.kind = any ($6))
      order by t.n limit 1
    ), first as (
      select failures > 0 or leased_until is not null as has_failed from jobs
      where lane = $1 and fairness_key = (select fairness_key from chosen) and run_at <= culprit_now()
        and (leased_until is null or leased_until < culprit_now()) and kind = any ($6)
      order by run_at limit 1
    ), due as (
      select job_id from jobs
      where lane = $1 and fairness_key = (select fairness_key from chosen) and run_at <= culprit_now()
        and (leased_until is null or leased_until < culprit_now()) and kind = any ($6)
        and ((select has_failed from first) or (failures = 0 and leased_until is null))
      order by run_at limit case when (select has_failed from first) then 1 else $4 end
      for update skip locked
    ), claimed as (
      update jobs set
        attempt = attempt + 1,
        failures = failures + case when leased_until is null then 0 else 1 end,
        leased_until = culprit_now() + make_interval(secs => $5)
      from due where jobs.job_id = due.job_id
      returning jobs.job_id, kind, fairness_key, key, payload, revision, attempt, failures
    )
    select claimed.*,
      case when chosen.fairness_key is null then (select fairness_key from keys where n = $3)
        when exists (select from jobs j where j.lane = $1 and j.fairness_key > chosen.fairness_key)
          then chosen.fairness_key end as continue_after
    from (select) as one left join chosen on true left join claimed on true
    order by claimed.job_id`;

/**
 * Removes finished jobs inside the transaction of their effects. A keyed job that was triggered again since its claim
 * stays; its payload maps triggers to the revision that added them, and keeps those that this attempt has not seen.
 */
export async function finishJobs(transaction: Transaction, jobs: readonly Job[]): Promise<void> {
  const rows = await transaction.query<{ job_id: number }>(FINISH, [
    jobs.map((job) => job.jobId),
    jobs.map((job) => job.attempt),
    jobs.map((job) => job.revision),
  ]);
  if (rows.length !== jobs.length)
    throw new LeaseLostError('the lease of a job ran out before it was finished');
}

const FINISH = sql('jobs-finish')`
    with held as (
      select j.job_id, f.revision, j.revision = f.revision as is_done
      from jobs j
      join unnest($1::bigint[], $2::integer[], $3::integer[]) as f (job_id, attempt, revision)
        on f.job_id = j.job_id and f.attempt = j.attempt
      order by j.job_id
      for update of j
    ), done as (
      delete from jobs using held where jobs.job_id = held.job_id and held.is_done
    ), again as (
      update jobs set leased_until = null, failures = 0,
        payload = (select coalesce(jsonb_object_agg(name, value), '{}') from jsonb_each(jobs.payload) as t (name, value)
          where value::integer > held.revision)
      from held where jobs.job_id = held.job_id and not held.is_done
    )
    select job_id from held`;

/** Extends the lease of held jobs. One that was given back while this was on its way stays given back. */
export async function extendLeases(database: Queryable, jobs: readonly Job[]): Promise<void> {
  await database.query(EXTEND, [jobs.map((job) => job.jobId), jobs.map((job) => job.attempt), LEASE_SECONDS]);
}

const EXTEND = sql('jobs-extend')`
    with held as (
      select j.job_id from jobs j
      join unnest($1::bigint[], $2::integer[]) as h (job_id, attempt) on h.job_id = j.job_id and h.attempt = j.attempt
      where j.leased_until is not null
      order by j.job_id
      for update of j
    )
    update jobs set leased_until = culprit_now() + make_interval(secs => $3)
    from held where jobs.job_id = held.job_id`;

/**
 * Returns jobs to the queue after a failed attempt: the next one starts after its delay. If `isCounted` is false (the
 * store or database was unreachable), no failure is counted. Jobs that are already finished or returned stay unchanged,
 * so that a call whose outcome is unknown can be repeated.
 */
export async function releaseJobs(
  database: Queryable,
  jobs: readonly { jobId: number; attempt: number; failures: number }[],
  outcome: { isCounted: boolean; waitMs: (failures: number) => number; error: string },
): Promise<void> {
  await database.query(RELEASE, [
    jobs.map((job) => job.jobId),
    jobs.map((job) => job.attempt),
    jobs.map((job) => outcome.waitMs(job.failures + 1)),
    outcome.isCounted,
    outcome.error.slice(0, 500),
  ]);
}

const RELEASE = sql('jobs-release')`
    with held as (
      select j.job_id, r.wait_ms from jobs j
      join unnest($1::bigint[], $2::integer[], $3::float8[]) as r (job_id, attempt, wait_ms)
        on r.job_id = j.job_id and r.attempt = j.attempt
      where j.leased_until is not null
      order by j.job_id
      for update of j
    )
    update jobs set
      leased_until = null,
      failures = failures + case when $4 then 1 else 0 end,
      run_at = greatest(run_at, culprit_now() + held.wait_ms * interval '1 ms'),
      last_error = $5
    from held where jobs.job_id = held.job_id`;

/** Returns a job that was claimed too early to the queue; if it was triggered again since, its new time is kept. */
export async function postponeJob(database: Queryable, job: Job, waitMs: number): Promise<void> {
  await database.query(
    sql('jobs-postpone')`update jobs set leased_until = null,
          run_at = case when revision = $3 then culprit_now() + $4 * interval '1 ms' else run_at end
        where job_id = $1 and attempt = $2 and leased_until is not null`,
    [job.jobId, job.attempt, job.revision, waitMs],
  );
}

/** Removes jobs that will not be tried again; the caller records what becomes of them in the same transaction. */
export async function discardJob(transaction: Queryable, job: Job): Promise<void> {
  const rows = await transaction.query<{ job_id: number }>(
    sql('jobs-discard')`delete from jobs where job_id = $1 and attempt = $2 returning job_id`,
    [job.jobId, job.attempt],
  );
  if (rows.length === 0) throw new LeaseLostError('the lease of a job ran out before it was discarded');
}

/** Wait before the attempt that follows the given number of failures. */
export function retryDelayMs(delaysMs: RetryDelays, failures: number): number {
  return delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0;
}
