import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import { Secret } from '../../platform/secrets/secret.ts';
import type { Connection, ExtraField } from './tracker-api.ts';
import { openTrackerSecret } from './tracker-secrets.ts';
import { IS_RECEIVING } from './trackers.queries.ts';

/** Statements of those who work on trackers: hand one out, open it, note what came of the work. */

/** A tracker as those who call it need it. */
export interface OpenTracker {
  trackerId: string;
  projectId: string;
  kind: TrackerKind;
  connection: Connection;
  isStopped: boolean;
  failures: number;
  /** Milliseconds since the epoch. */
  readUntilMs: number;
  /** The tag of the answer without tickets to the latest reading from there; null: there is none. */
  etag: string | null;
  changedAtMs: number;
  isReceiving: boolean;
}

interface OpenRow {
  tracker_id: string;
  project_id: string;
  kind: TrackerKind;
  base_url: string;
  target: string;
  user_name: string | null;
  issue_type: string | null;
  extra_fields: ExtraField[];
  sealed_token: Buffer;
  sealed_callback: Buffer | null;
  is_stopped: boolean;
  failures: number;
  read_until: number;
  read_etag: string | null;
  changed_at: number;
  is_receiving: boolean;
}

/**
 * Reads a tracker with its token; null when it or its project is gone.
 * @throws Error when the data key was changed since the token was stored; a new token helps
 */
export async function openTracker(
  database: Queryable,
  keys: Keys,
  trackerId: string,
): Promise<OpenTracker | null> {
  const [row] = await database.query<OpenRow>(
    sql(
      'tracker-open',
    )`select t.tracker_id, t.project_id, t.kind, t.base_url, t.target, t.user_name, t.issue_type, t.extra_fields,
          t.sealed_token, t.sealed_callback, t.is_stopped, t.failures, t.read_until, t.read_etag, t.changed_at, ${IS_RECEIVING} as is_receiving
        from trackers t join projects p on p.project_id = t.project_id and p.deleted_at is null
        where t.tracker_id = $1`,
    [trackerId],
  );
  if (row === undefined) return null;
  const token = openTrackerSecret(keys, row.sealed_token, trackerId);
  if (token === null) throw new Error('the token of a tracker cannot be read: the data key was changed');
  const callback =
    row.sealed_callback === null ? null : openTrackerSecret(keys, row.sealed_callback, trackerId);
  return {
    trackerId,
    projectId: row.project_id,
    kind: row.kind,
    connection: {
      baseUrl: row.base_url,
      target: row.target,
      token: new Secret(token),
      user: row.user_name,
      issueType: row.issue_type,
      extraFields: row.extra_fields,
      callbackUrl: callback === null ? null : new Secret(callback),
    },
    isStopped: row.is_stopped,
    failures: row.failures,
    readUntilMs: row.read_until,
    etag: row.read_etag,
    changedAtMs: row.changed_at,
    isReceiving: row.is_receiving,
  };
}

/** The claim of a tracker: it belongs to the process that raised `claimNumber` last, until its lease ends. */
export interface TrackerClaim {
  trackerId: string;
  claimNumber: number;
}

/** The time for which no other process works on a claimed tracker. */
export const TRACKER_LEASE_MS = 90_000;

/** Claims due trackers, the longest due first. */
export async function claimTrackers(database: Queryable, limit: number): Promise<TrackerClaim[]> {
  return await database.query<TrackerClaim>(
    sql('trackers-claim')`with due as (
          select t.tracker_id from trackers t join projects p on p.project_id = t.project_id and p.deleted_at is null
          where t.due_at <= (select culprit_now()) order by t.due_at limit $1 for update of t skip locked
        )
        update trackers t set claim_number = t.claim_number + 1, claimed_at = culprit_now(),
          leased_until = culprit_now() + make_interval(secs => $2), due_at = culprit_now() + make_interval(secs => $2)
        from due where t.tracker_id = due.tracker_id
        returning t.tracker_id as "trackerId", t.claim_number as "claimNumber"`,
    [limit, TRACKER_LEASE_MS / 1000],
  );
}

/** Makes claimed trackers due again whose work this process will not end. */
export async function releaseTrackers(database: Queryable, claims: readonly TrackerClaim[]): Promise<void> {
  await database.query(
    sql('trackers-release')`update trackers t set leased_until = null, due_at = culprit_now()
        from unnest($1::uuid[], $2::integer[]) as c (tracker_id, claim_number)
        where t.tracker_id = c.tracker_id and t.claim_number = c.claim_number`,
    [claims.map(({ trackerId }) => trackerId), claims.map(({ claimNumber }) => claimNumber)],
  );
}

/** The result that is recorded for a tracker when a claim ends. */
export interface TrackerResult {
  error: string | null;
  failures: number;
  isStopped: boolean;
  /** Changes are known up to here; null: as before. */
  readUntilMs: number | null;
  etag: string | null;
  hasChanged: boolean;
  /** Until the next work; null: until something asks for it. */
  waitMs: number | null;
  /** True if the tracker must not be called sooner. */
  isAskedToWait: boolean;
}

/** Ends a claim; false when another process has the tracker by now. */
export async function recordResult(
  database: Queryable,
  { trackerId, claimNumber }: TrackerClaim,
  result: TrackerResult,
): Promise<boolean> {
  const rows = await database.query(
    sql('tracker-record')`update trackers set leased_until = null, last_error = $3, failures = $4,
          is_stopped = $5 or is_stopped, read_until = coalesce($6, read_until), read_etag = $10,
          changed_at = case when $7 then culprit_now() else changed_at end,
          not_before = case when $9 then culprit_now() + make_interval(secs => $8) end,
          due_at = case when $5 or is_stopped then null
            when asked_at >= claimed_at and not $9 then culprit_now()
            else culprit_now() + make_interval(secs => $8) end
        where tracker_id = $1 and claim_number = $2 returning 1`,
    [
      trackerId,
      claimNumber,
      result.error,
      result.failures,
      result.isStopped,
      result.readUntilMs === null ? null : new Date(result.readUntilMs),
      result.hasChanged,
      result.waitMs === null ? null : result.waitMs / 1000,
      result.isAskedToWait,
      result.etag,
    ],
  );
  return rows.length > 0;
}

/** Returns the person who connected a tracker, and its name; null when the account is gone. */
export const findMaker = statement.one<
  [trackerId: string],
  { email: string; name: string; target: string; projectId: string }
>(
  'tracker-maker',
  `select u.email, t.name, t.target, t.project_id as "projectId" from trackers t
    join users u on u.user_id = t.created_by_user_id
    join project_members m on m.user_id = u.user_id and m.project_id = t.project_id
    where t.tracker_id = $1`,
);
