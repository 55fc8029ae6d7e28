import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import { SAID, SYNC } from './link-sync.ts';
import { ASSIGNEE_KINDS, NOTE_KIND, TRACKERS_WAKE } from './trackers.jobs.ts';

/** Statements that have something done with a tracker: its webhook, its test, and what happens to incidents. */

/**
 * Gives a tracker a new address and secret for its webhook, which of a generic one is its only secret; false when it is
 * gone.
 */
export async function replaceHook(
  database: Queryable,
  tracker: { projectId: string; trackerId: string },
  hook: { tokenHash: Buffer; sealedSecret: Buffer; sealedCallback: Buffer },
): Promise<boolean> {
  const rows = await database.query(
    sql('tracker-hook-replace')`update trackers set hook_token_hash = $3, hook_received_at = null,
          sealed_hook_secret = case when kind <> 'generic' then $4::bytea end,
          sealed_token = case when kind = 'generic' then $4 else sealed_token end,
          sealed_callback = case when kind = 'generic' then $5::bytea end,
          updated_at = culprit_now()
        where project_id = $1 and tracker_id = $2 returning 1`,
    [tracker.projectId, tracker.trackerId, hook.tokenHash, hook.sealedSecret, hook.sealedCallback],
  );
  return rows.length > 0;
}

/** The webhook of a tracker. */
interface StoredHook {
  tokenHash: Buffer;
  sealedSecret: Buffer;
  receivedAtMs: number | null;
}

/** The webhook of a tracker of a product; null when it has none. */
export const findHook = statement.one<[trackerId: string], StoredHook>(
  'tracker-hook-find',
  `select hook_token_hash as "tokenHash", sealed_hook_secret as "sealedSecret",
      hook_received_at as "receivedAtMs" from trackers
    where tracker_id = $1 and hook_token_hash is not null and sealed_hook_secret is not null`,
);

/** Gives a tracker another webhook, unless it has another one than before by now: then false. */
export async function swapHook(
  database: Queryable,
  trackerId: string,
  beforeHash: Buffer | null,
  hook: Omit<StoredHook, 'receivedAtMs'>,
): Promise<boolean> {
  const rows = await database.query(
    sql(
      'tracker-hook-swap',
    )`update trackers set hook_token_hash = $3, sealed_hook_secret = $4, hook_received_at = null,
          updated_at = culprit_now()
        where tracker_id = $1 and hook_token_hash is not distinct from $2 returning 1`,
    [trackerId, beforeHash, hook.tokenHash, hook.sealedSecret],
  );
  return rows.length > 0;
}

/** Gives a tracker back the webhook of before, whose replacement the tracker refused. */
export async function putBackHook(
  database: Queryable,
  trackerId: string,
  refusedHash: Buffer,
  before: StoredHook | null,
): Promise<void> {
  await database.query(
    sql(
      'tracker-hook-put-back',
    )`update trackers set hook_token_hash = $3, sealed_hook_secret = $4, hook_received_at = $5
        where tracker_id = $1 and hook_token_hash = $2`,
    [
      trackerId,
      refusedHash,
      before?.tokenHash ?? null,
      before?.sealedSecret ?? null,
      before === null || before.receivedAtMs === null ? null : new Date(before.receivedAtMs),
    ],
  );
}

/** The tracker whose webhook has an address; null when none has. */
export const findByHookToken = statement.one<
  [tokenHash: Buffer],
  { trackerId: string; kind: TrackerKind; sealedSecret: Buffer }
>(
  'tracker-by-hook',
  `select t.tracker_id as "trackerId", t.kind, coalesce(t.sealed_hook_secret, t.sealed_token) as "sealedSecret"
    from trackers t
    join projects p on p.project_id = t.project_id and p.deleted_at is null
    where t.hook_token_hash = $1`,
);

/**
 * The assignments that make trackers due, in an update of `trackers t`: after the work that is under way, no sooner
 * than they allow, and not while they are stopped.
 */
const ASK = `asked_at = culprit_now(),
  due_at = case when t.is_stopped then null when t.leased_until > culprit_now() then t.due_at
    else greatest(culprit_now(), t.not_before) end`;
const WAKE = `select pg_notify('${WAKE_CHANNEL}', '${TRACKERS_WAKE}') from asked limit 1`;

/** Has something to do with a tracker soon. @param isHook whether the tracker itself said so */
export async function askTracker(
  database: Queryable,
  trackerId: string,
  options: { isHook?: boolean } = {},
): Promise<void> {
  await database.query(
    sql('tracker-ask')`with asked as (
          update trackers t set ${ASK},
            hook_received_at = case when $2 then culprit_now() else t.hook_received_at end
          where t.tracker_id = $1 returning 1
        ) ${WAKE}`,
    [trackerId, options.isHook === true],
  );
}

/**
 * Makes the trackers of the incidents due that ledger rows name. What followed from a ticket is no news for that ticket:
 * if many were closed together, their tracker would otherwise be read again for each of them.
 */
export const askTrackersOf = inTransaction.run<[projectId: string, lifecycleIds: readonly number[]]>(
  'trackers-ask',
  `with meant as (
      select t.tracker_id from trackers t
      where t.project_id = $1 and t.tracker_id in (
        select k.tracker_id from lifecycle_events l join incident_links k on k.incident_id = l.incident_id
        where l.lifecycle_id = any ($2::bigint[])
          and (l.data ->> 'because', l.data ->> 'link_id') is distinct from ('tracker', k.link_id::text)
          and case
          when l.kind in (${ASSIGNEE_KINDS.map((kind) => `'${kind}'`).join(', ')}) then ${SYNC.assignee} = 'to_tracker'
          when l.kind = '${NOTE_KIND}' then ${SYNC.notesSince} is not null
          when ${SAID.isSaidKind} then ${SAID.isWanted}
          else true end)
      order by t.tracker_id for update
    ), asked as (
      update trackers t set ${ASK} from meant where t.tracker_id = meant.tracker_id returning 1
    ) ${WAKE}`,
);

/** Notes what a test found out; success ends a stop and has the waiting work done. */
export async function noteTest(
  database: Queryable,
  trackerId: string,
  result: { account: string } | { error: string },
): Promise<void> {
  const isGood = 'account' in result;
  await database.query(
    sql('tracker-tested')`with asked as (
          update trackers t set last_error = $3, account = coalesce($2, t.account),
            is_stopped = t.is_stopped and $2 is null, failures = case when $2 is null then t.failures else 0 end,
            not_before = case when $2 is null then t.not_before end,
            asked_at = culprit_now(),
            due_at = case when $2 is null or t.leased_until > culprit_now() then t.due_at else culprit_now() end
          where t.tracker_id = $1 returning 1
        ) ${WAKE}`,
    [trackerId, isGood ? result.account : null, isGood ? null : result.error],
  );
}
