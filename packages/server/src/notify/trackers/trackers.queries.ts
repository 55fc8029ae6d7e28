import { formatTimestamp } from '@culprit/contract/timestamps';
import type { TrackerKind, WontFixEffect } from '@culprit/contract/tracker-words';
import type { Tracker } from '@culprit/contract/trackers';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { prefixedId } from '../../platform/ids.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { TRACKERS_WAKE } from './trackers.jobs.ts';

/** Statements over trackers as people see and change them, always within one project. */

/** How the binder finds one of these for a request that names it. */
export const TRACKER_RECORDS: RecordTable = {
  from: 'trackers t',
  projectId: 't.project_id',
  recordId: 't.tracker_id',
};

/** What people set of a tracker. */
export interface TrackerSettings {
  name: string;
  target: string;
  user: string | null;
  issueType: string | null;
  closeOnResolve: boolean;
  reopenOnRegress: boolean;
  resolveOnClose: boolean;
  wontFix: WontFixEffect;
  sealedToken: Buffer;
}

export interface SettingsRow {
  name: string;
  target: string;
  user_name: string | null;
  issue_type: string | null;
  close_on_resolve: boolean;
  reopen_on_regress: boolean;
  resolve_on_close: boolean;
  wont_fix: WontFixEffect;
  sealed_token: Buffer;
}

interface TrackerRow extends SettingsRow {
  tracker_id: string;
  project_id: string;
  kind: TrackerKind;
  base_url: string;
  account: string | null;
  has_hook: boolean;
  is_receiving: boolean;
  hook_received_at: number | null;
  is_stopped: boolean;
  last_error: string | null;
  created_at: number;
  updated_at: number;
}

export const SETTINGS_COLUMNS = `name, target, user_name, issue_type, close_on_resolve, reopen_on_regress,
  resolve_on_close, wont_fix, sealed_token`;
/** How long after a notification a tracker is rarely polled. */
export const IS_RECEIVING = `coalesce(hook_received_at > culprit_now() - interval '24 hours', false)`;
const COLUMNS = `tracker_id, project_id, kind, base_url, ${SETTINGS_COLUMNS}, account,
  hook_token_hash is not null as has_hook, ${IS_RECEIVING} as is_receiving, hook_received_at, is_stopped, last_error,
  created_at, updated_at`;

function recordOf(row: TrackerRow): Tracker {
  return {
    tracker_id: row.tracker_id,
    project_id: prefixedId('proj', row.project_id),
    kind: row.kind,
    name: row.name,
    base_url: row.base_url,
    target: row.target,
    user: row.user_name,
    issue_type: row.issue_type,
    close_on_resolve: row.close_on_resolve,
    reopen_on_regress: row.reopen_on_regress,
    resolve_on_close: row.resolve_on_close,
    wont_fix: row.wont_fix,
    account: row.account,
    hook: {
      state: row.is_receiving ? 'receiving' : row.has_hook ? 'waiting' : 'none',
      last_received_at: row.hook_received_at === null ? null : formatTimestamp(row.hook_received_at),
    },
    is_stopped: row.is_stopped,
    last_error: row.last_error,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** The trackers of a project, oldest first. */
export async function listTrackerRows(database: Queryable, projectId: string): Promise<Tracker[]> {
  const rows = await database.query<TrackerRow>(
    {
      name: 'trackers-list',
      text: `select ${COLUMNS} from trackers where project_id = $1 order by created_at, tracker_id`,
    },
    [projectId],
  );
  return rows.map(recordOf);
}

/** A tracker of the project; null when it has none with this id. */
export async function findTracker(
  database: Queryable,
  projectId: string,
  trackerId: string,
): Promise<Tracker | null> {
  const [row] = await database.query<TrackerRow>(
    {
      name: 'tracker-find',
      text: `select ${COLUMNS} from trackers where project_id = $1 and tracker_id = $2`,
    },
    [projectId, trackerId],
  );
  return row === undefined ? null : recordOf(row);
}

/** A tracker of the project, held until the transaction ends; null when it is gone. */
export async function lockTracker(
  transaction: Transaction,
  projectId: string,
  trackerId: string,
): Promise<{ kind: TrackerKind; settings: TrackerSettings } | null> {
  const [row] = await transaction.query<SettingsRow & { kind: TrackerKind }>(
    {
      name: 'tracker-lock',
      text: `select kind, ${SETTINGS_COLUMNS} from trackers where project_id = $1 and tracker_id = $2 for update`,
    },
    [projectId, trackerId],
  );
  return row === undefined ? null : { kind: row.kind, settings: settingsOf(row) };
}

function settingsOf(row: SettingsRow): TrackerSettings {
  return {
    name: row.name,
    target: row.target,
    user: row.user_name,
    issueType: row.issue_type,
    closeOnResolve: row.close_on_resolve,
    reopenOnRegress: row.reopen_on_regress,
    resolveOnClose: row.resolve_on_close,
    wontFix: row.wont_fix,
    sealedToken: row.sealed_token,
  };
}

/** The values of `SETTINGS_COLUMNS`, in their order. */
function settingsParameters(settings: TrackerSettings) {
  return [
    settings.name,
    settings.target,
    settings.user,
    settings.issueType,
    settings.closeOnResolve,
    settings.reopenOnRegress,
    settings.resolveOnClose,
    settings.wontFix,
    settings.sealedToken,
  ];
}

export async function countTrackers(transaction: Transaction, projectId: string): Promise<number> {
  const [row] = await transaction.query<{ trackers: number }>(
    { name: 'trackers-count', text: 'select count(*) as trackers from trackers where project_id = $1' },
    [projectId],
  );
  return row?.trackers ?? 0;
}

/** Inserts a tracker. The caller holds the project. */
export async function insertTracker(
  transaction: Transaction,
  made: {
    trackerId: string;
    projectId: string;
    createdByUserId: string;
    kind: TrackerKind;
    baseUrl: string;
    settings: TrackerSettings;
  },
): Promise<void> {
  await transaction.query(
    {
      name: 'tracker-insert',
      text: `insert into trackers (tracker_id, project_id, created_by_user_id, kind, base_url, ${SETTINGS_COLUMNS})
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    },
    [
      made.trackerId,
      made.projectId,
      made.createdByUserId,
      made.kind,
      made.baseUrl,
      ...settingsParameters(made.settings),
    ],
  );
}

/** Writes changed settings of a held tracker. */
export async function updateSettings(
  transaction: Transaction,
  projectId: string,
  trackerId: string,
  settings: TrackerSettings,
): Promise<void> {
  await transaction.query(
    {
      name: 'tracker-update',
      text: `update trackers set (${SETTINGS_COLUMNS}) = ($3, $4, $5, $6, $7, $8, $9, $10, $11),
          updated_at = culprit_now()
        where project_id = $1 and tracker_id = $2`,
    },
    [projectId, trackerId, ...settingsParameters(settings)],
  );
}

/** Whether incidents have tickets of a tracker. */
export async function isTrackerUsed(transaction: Transaction, trackerId: string): Promise<boolean> {
  const rows = await transaction.query(
    { name: 'tracker-used', text: 'select from incident_links where tracker_id = $1 limit 1' },
    [trackerId],
  );
  return rows.length > 0;
}

/** Deletes a held tracker; its links stay as plain addresses, those without an address go. */
export async function deleteTrackerRow(transaction: Transaction, trackerId: string): Promise<void> {
  await transaction.query(
    {
      name: 'tracker-delete',
      text: `with unlinked as (
          update incident_links set tracker_id = null, state = 'open', state_name = null, last_error = null,
            is_paused = false
          where tracker_id = $1 and url is not null
        ), dropped as (
          delete from incident_links where tracker_id = $1 and url is null
        )
        delete from trackers where tracker_id = $1`,
    },
    [trackerId],
  );
}

/** Gives a tracker a new address and secret for its webhook; false when it is gone. */
export async function replaceHook(
  database: Queryable,
  tracker: { projectId: string; trackerId: string },
  hook: { tokenHash: Buffer; sealedSecret: Buffer },
): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'tracker-hook-replace',
      text: `update trackers set hook_token_hash = $3, sealed_hook_secret = $4, hook_received_at = null,
          updated_at = culprit_now()
        where project_id = $1 and tracker_id = $2 returning 1`,
    },
    [tracker.projectId, tracker.trackerId, hook.tokenHash, hook.sealedSecret],
  );
  return rows.length > 0;
}

/** The tracker whose webhook has an address; null when none has. */
export async function findByHookToken(
  database: Queryable,
  tokenHash: Buffer,
): Promise<{ trackerId: string; kind: TrackerKind; sealedSecret: Buffer } | null> {
  const [row] = await database.query<{ tracker_id: string; kind: TrackerKind; sealed_hook_secret: Buffer }>(
    {
      name: 'tracker-by-hook',
      text: `select t.tracker_id, t.kind, t.sealed_hook_secret from trackers t
        join projects p on p.project_id = t.project_id and p.deleted_at is null
        where t.hook_token_hash = $1`,
    },
    [tokenHash],
  );
  return row === undefined
    ? null
    : { trackerId: row.tracker_id, kind: row.kind, sealedSecret: row.sealed_hook_secret };
}

/**
 * What makes trackers due, in an update of `trackers t`: after the work that is under way, no sooner than they allow, and
 * not while they are stopped.
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
    {
      name: 'tracker-ask',
      text: `with asked as (
          update trackers t set ${ASK},
            hook_received_at = case when $2 then culprit_now() else t.hook_received_at end
          where t.tracker_id = $1 returning 1
        ) ${WAKE}`,
    },
    [trackerId, options.isHook === true],
  );
}

/** Asks the trackers of the incidents that ledger rows tell of. */
export async function askTrackersOf(
  transaction: Transaction,
  projectId: string,
  lifecycleIds: readonly number[],
): Promise<void> {
  await transaction.query(
    {
      name: 'trackers-ask',
      text: `with meant as (
          select t.tracker_id from trackers t
          where t.project_id = $1 and t.tracker_id in (
            select k.tracker_id from lifecycle_events l join incident_links k on k.incident_id = l.incident_id
            where l.lifecycle_id = any ($2::bigint[]))
          order by t.tracker_id for update
        ), asked as (
          update trackers t set ${ASK} from meant where t.tracker_id = meant.tracker_id returning 1
        ) ${WAKE}`,
    },
    [projectId, [...lifecycleIds]],
  );
}

/** Notes what a test found out; success ends a stop and has the waiting work done. */
export async function noteTest(
  database: Queryable,
  trackerId: string,
  result: { account: string } | { error: string },
): Promise<void> {
  const isGood = 'account' in result;
  await database.query(
    {
      name: 'tracker-tested',
      text: `with asked as (
          update trackers t set last_error = $3, account = coalesce($2, t.account),
            is_stopped = t.is_stopped and $2 is null, failures = case when $2 is null then t.failures else 0 end,
            not_before = case when $2 is null then t.not_before end,
            asked_at = culprit_now(),
            due_at = case when $2 is null or t.leased_until > culprit_now() then t.due_at else culprit_now() end
          where t.tracker_id = $1 returning 1
        ) ${WAKE}`,
    },
    [trackerId, isGood ? result.account : null, isGood ? null : result.error],
  );
}
