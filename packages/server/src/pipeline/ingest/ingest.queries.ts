import { NO_RULE } from '../../capture/no-rule.ts';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import type { ActiveProbe } from '../../probes/active-probe.ts';
import type { Plan } from '../../workspace/billing/plan.ts';
import { EVENTS_LANE, PROCESS_BATCH } from '../incidents/processing/incidents.jobs.ts';

/** The admission of one request of a window, in the window's order. */
export interface Admission {
  verdict: 'admitted' | 'invalid_project_token' | 'origin_not_allowed' | 'rate_limited';
  tokenId: string;
  projectId: string;
  isOriginBound: boolean;
  /** Shape-valid events that got a unit of the rate budget. */
  eventsTaken: number;
  /** Seconds until the rate window closes; null where no rate applies. */
  retryAfterSeconds: number | null;
  plan: Plan;
  capturePreset: string;
  /** Saved overrides as JSON text. */
  captureOverrides: string;
  userKey: Buffer;
  receivedAtMs: number;
  /** Oldest first; null for none. */
  activeProbes: readonly ActiveProbe[] | null;
  /** The version of the project's filters; 0 if it has none. */
  captureVersion: number;
}

/** Which of these hashes belong to live tokens of live projects. */
export const findLiveTokens = statement.many<[hashes: readonly Buffer[]], { token_hash: Buffer }, Buffer>(
  'ingest-live-tokens',
  `select t.token_hash from project_tokens t join projects p using (project_id)
    where t.token_hash = any ($1::bytea[]) and t.revoked_at is null and p.deleted_at is null`,
  (row) => row.token_hash,
);

export interface AdmissionInput {
  tokenHash: Buffer;
  origin: string | null;
  isBeacon: boolean;
  isCountable: boolean;
  shapeValidCount: number;
}

/**
 * Judges tokens, origins and rate budgets of a window in one round trip; see the function's comment in SQL. It locks
 * the rows of tokens one after the other, so they go in by hash: windows that share tokens must not wait for each
 * other. Requests of one token stay in the order in which they came.
 * @returns the admissions in the order of `requests`
 */
export async function admitRequests(
  database: Queryable,
  requests: readonly AdmissionInput[],
  plan: { override: Plan | null; rateLimits: Record<Plan, number> | null },
): Promise<Admission[]> {
  const order = requests.map((_, index) => index).sort((a, b) => compareHashes(requests, a, b) || a - b);
  const sorted = await admitInOrder(
    database,
    order.flatMap((index) => requests[index] ?? []),
    plan,
  );
  const admissions: Admission[] = [];
  order.forEach((index, place) => {
    const admission = sorted[place];
    if (admission !== undefined) admissions[index] = admission;
  });
  return admissions;
}

function compareHashes(requests: readonly AdmissionInput[], a: number, b: number): number {
  const [left, right] = [requests[a]?.tokenHash, requests[b]?.tokenHash];
  return left === undefined || right === undefined ? 0 : left.compare(right);
}

async function admitInOrder(
  database: Queryable,
  requests: readonly AdmissionInput[],
  plan: { override: Plan | null; rateLimits: Record<Plan, number> | null },
): Promise<Admission[]> {
  const rows = await database.query<AdmissionRow>(ADMIT, [
    requests.map((request) => request.tokenHash),
    requests.map((request) => request.origin),
    requests.map((request) => request.isBeacon),
    requests.map((request) => request.isCountable),
    requests.map((request) => request.shapeValidCount),
    plan.override,
    plan.rateLimits === null ? null : JSON.stringify(plan.rateLimits),
  ]);
  return rows.map((row) => ({
    verdict: row.verdict,
    tokenId: row.token_id,
    projectId: row.project_id,
    isOriginBound: row.origin_bound,
    eventsTaken: row.events_taken,
    retryAfterSeconds: row.retry_after_seconds,
    plan: row.plan,
    capturePreset: row.capture_preset,
    captureOverrides: row.capture_overrides,
    userKey: row.user_key,
    receivedAtMs: row.received_at,
    activeProbes: row.active_probes,
    captureVersion: row.capture_version,
  }));
}

interface AdmissionRow {
  verdict: Admission['verdict'];
  token_id: string;
  project_id: string;
  origin_bound: boolean;
  events_taken: number;
  retry_after_seconds: number | null;
  plan: Plan;
  capture_preset: string;
  capture_overrides: string;
  user_key: Buffer;
  received_at: number;
  active_probes: ActiveProbe[] | null;
  capture_version: number;
}

const ADMIT = sql(
  'ingest-admit',
)`select verdict, token_id, project_id, origin_bound, events_taken, retry_after_seconds, plan,
      capture_preset, capture_overrides::text as capture_overrides, user_key, received_at, active_probes,
      capture_version
    from admit_requests($1::bytea[], $2::text[], $3::boolean[], $4::boolean[], $5::integer[], $6::text, $7::jsonb)
    order by ordinal`;

/**
 * Returns rate budget that was taken by requests which end in a 503 (docs/contract/reliability.md A1), unless their
 * window has already ended. Rows are locked in the order of the admission.
 */
export async function returnRateBudget(database: Queryable, admissions: readonly Admission[]): Promise<void> {
  await database.query(RETURN_BUDGET, [
    admissions.map((admission) => admission.tokenId),
    admissions.map((admission) => admission.eventsTaken),
    admissions.map((admission) => new Date(admission.receivedAtMs)),
  ]);
}

const RETURN_BUDGET = sql('ingest-return-budget')`
    with taken as (
      select w.token_id, count(*)::integer as requests, sum(t.events)::integer as events
      from unnest($1::uuid[], $2::integer[], $3::timestamptz[]) as t (token_id, events, taken_at)
      join rate_windows w on w.token_id = t.token_id and w.started_at <= t.taken_at
      group by w.token_id
    ), held as (
      select w.token_id, taken.requests, taken.events
      from taken join project_tokens p using (token_id) join rate_windows w using (token_id)
      order by p.token_hash for update of w
    )
    update rate_windows w
    set requests = greatest(0, w.requests - held.requests), events = greatest(0, w.events - held.events)
    from held where w.token_id = held.token_id`;

export interface NewBatch {
  batch_id: string;
  project_id: string;
  object_key: string;
  object_offset: number | null;
  size_bytes: number;
  sha256: string;
  event_count: number;
  token_ids: string[];
  token_events: number[];
  received_at: string;
  payload: object;
}

export interface FateCount {
  token_id: string;
  project_id: string;
  hour: string;
  fate: 'submitted' | 'invalid' | 'refused_by_policy' | 'rate_limited' | 'dropped' | 'sampled_out';
  rule_id: string;
  events: number;
}

/** Events of a window that were rejected for one reason. */
export interface RejectionCount {
  token_id: string;
  project_id: string;
  hour: string;
  reason: string;
  events: number;
}

/** Rows of one project and hour; what comes after them is counted without its reason. */
const REJECTIONS_MAX = 100;

/**
 * Makes the stored objects of a window count: batch rows, their jobs and the counters of outcomes, in one statement.
 * Projects deleted since the admission are omitted.
 * @param wakes true if the workers that serve the jobs are woken
 * @returns the projects that were live
 */
export async function commitWindow(
  database: Queryable,
  batches: readonly NewBatch[],
  fates: readonly FateCount[],
  wakes = true,
  rejections: readonly RejectionCount[] = [],
): Promise<Set<string>> {
  const hasRuleMatches = fates.some((fate) => fate.rule_id !== NO_RULE);
  const input = [JSON.stringify(batches), JSON.stringify(fates), wakes && batches.length > 0];
  const hasRejections = rejections.length > 0;
  const rows = await database.query<{ project_id: string }>(
    hasRejections ? COMMIT_WITH_REJECTIONS : hasRuleMatches ? COMMIT_WITH_MATCHES : COMMIT,
    hasRejections ? [...input, JSON.stringify(rejections)] : input,
  );
  return new Set(rows.map((row) => row.project_id));
}

const COMMIT = { name: 'ingest-commit', text: commitText('') };

/**
 * Events that rules kept away are matches of these rules (docs/contract/ingestion.md 5.3 step 7); a worker adds them
 * up.
 */
const NEW_HITS = `, new_hits as (
      insert into capture_rule_hits (rule_id, hits, matched_at)
      select rule_id, sum(events), culprit_now() from fates join live using (project_id)
      where rule_id <> '${NO_RULE}' group by rule_id
    )`;
const COMMIT_WITH_MATCHES = { name: 'ingest-commit-matches', text: commitText(NEW_HITS) };

/** The same with the reasons of rejected events, which most windows have none of. */
const COMMIT_WITH_REJECTIONS = {
  name: 'ingest-commit-rejections',
  text: commitText(`${NEW_HITS}, rejected as (
      select * from json_to_recordset($4::json) as r (token_id uuid, project_id uuid, hour timestamptz, reason text,
        events bigint)
    ), counted as (
      select project_id, hour, token_id, case when
          (select count(*) from rejections k where k.project_id = r.project_id and k.hour = r.hour) < ${REJECTIONS_MAX}
          or exists (select from rejections k where k.project_id = r.project_id and k.hour = r.hour
            and k.token_id = r.token_id and k.reason = r.reason)
        then reason else '' end as reason, events
      from rejected r join live using (project_id)
    ), new_rejections as (
      insert into rejections as k (project_id, hour, token_id, reason, events, last_at)
      select project_id, hour, token_id, reason, sum(events), culprit_now() from counted
      group by project_id, hour, token_id, reason order by project_id, hour, token_id, reason
      on conflict (project_id, hour, token_id, reason) do update set events = k.events + excluded.events,
        last_at = greatest(k.last_at, excluded.last_at)
    )`),
};

/** @param further statements that belong to the same transaction, each led by a comma */
function commitText(further: string): string {
  return `
    with input as (
      select * from json_to_recordset($1::json) as b (batch_id uuid, project_id uuid, object_key text,
        object_offset integer, size_bytes integer, sha256 text, event_count integer, token_ids uuid[], token_events integer[],
        received_at timestamptz, payload jsonb)
    ), fates as (
      select * from json_to_recordset($2::json) as f (token_id uuid, project_id uuid, hour timestamptz, fate text,
        rule_id uuid, events bigint)
    ), live as (
      select project_id from projects
      where project_id in (select project_id from fates) and deleted_at is null
      order by project_id for key share
    ), new_batches as (
      insert into batches (batch_id, project_id, object_key, object_offset, size_bytes, sha256, event_count,
        token_ids, token_events, received_at)
      select batch_id, project_id, object_key, object_offset, size_bytes, decode(sha256, 'hex'), event_count,
        token_ids, token_events, received_at
      from input join live using (project_id)
    ), new_jobs as (
${enqueue({
  job: { lane: EVENTS_LANE, kind: PROCESS_BATCH },
  fairnessKey: 'project_id',
  payload: 'payload',
  from: 'from input join live using (project_id)',
})}
    ), new_fates as (
      insert into event_fates as e (token_id, hour, fate, rule_id, project_id, events)
      select token_id, hour, fate, rule_id, project_id, events from fates join live using (project_id)
      order by token_id, hour, fate, rule_id
      on conflict (token_id, hour, fate, rule_id) do update set events = e.events + excluded.events
    )${further}
    select project_id, case when $3::boolean then pg_notify('${WAKE_CHANNEL}', '${EVENTS_LANE}') end from live`;
}

/** Wakes the workers that serve the jobs of batches. */
export const wakeForBatches = statement.run<[]>(
  'ingest-wake',
  `select pg_notify('${WAKE_CHANNEL}', '${EVENTS_LANE}')`,
);

/**
 * Makes one stored object count that no request brought, inside the transaction it belongs to: its row, its job and
 * the wake-up. The caller holds the project.
 */
export async function insertBatch(transaction: Transaction, batch: NewBatch): Promise<void> {
  await transaction.query(INSERT_BATCH, [
    batch.batch_id,
    batch.project_id,
    batch.object_key,
    batch.size_bytes,
    batch.sha256,
    batch.event_count,
    batch.token_ids,
    batch.token_events,
    batch.received_at,
    JSON.stringify(batch.payload),
    batch.object_offset,
  ]);
}

const INSERT_BATCH = sql('ingest-batch-insert')`
    with new_batch as (
      insert into batches (batch_id, project_id, object_key, size_bytes, sha256, event_count, token_ids,
        token_events, received_at, object_offset)
      values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7, $8, $9, $11)
    ), queued as (${enqueue({
      job: { lane: EVENTS_LANE, kind: PROCESS_BATCH },
      fairnessKey: '$2::uuid',
      payload: '$10::jsonb',
    })})
    ${WAKE_QUEUED}`;
