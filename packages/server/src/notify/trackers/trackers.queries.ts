import type { AssigneeSync, TrackerKind, WontFixEffect } from '@culprit/contract/alerts/tracker-words';
import type { Tracker } from '@culprit/contract/alerts/trackers';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import type { ExtraField } from './tracker-api.ts';

/** Statements over trackers as people see and change them, always within one project. */

/** The table in which the binder finds a tracker that a request names. */
export const TRACKER_RECORDS: RecordTable = {
  from: 'trackers t',
  projectId: 't.project_id',
  recordId: 't.tracker_id',
};

/** The settings of a tracker that people choose. */
export interface TrackerSettings {
  name: string;
  target: string;
  user: string | null;
  issueType: string | null;
  extraFields: readonly ExtraField[];
  closeOnResolve: boolean;
  reopenOnRegress: boolean;
  resolveOnClose: boolean;
  wontFix: WontFixEffect;
  syncAssignee: AssigneeSync;
  syncNotes: boolean;
  sealedToken: Buffer;
}

interface SettingsRow {
  name: string;
  target: string;
  user_name: string | null;
  issue_type: string | null;
  extra_fields: ExtraField[];
  close_on_resolve: boolean;
  reopen_on_regress: boolean;
  resolve_on_close: boolean;
  wont_fix: WontFixEffect;
  sync_assignee: AssigneeSync;
  notes_since: number | null;
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

const SETTINGS_COLUMNS = `name, target, user_name, issue_type, close_on_resolve, reopen_on_regress,
  resolve_on_close, wont_fix, sync_assignee, sealed_token, extra_fields, notes_since`;
/** The condition in SQL that a tracker is rarely polled: its last notification is less than 24 hours old. */
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
    extra_fields: row.extra_fields,
    close_on_resolve: row.close_on_resolve,
    reopen_on_regress: row.reopen_on_regress,
    resolve_on_close: row.resolve_on_close,
    wont_fix: row.wont_fix,
    sync_assignee: row.sync_assignee,
    sync_notes: row.notes_since !== null,
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
export const listTrackerRows = statement.many<[projectId: string], TrackerRow, Tracker>(
  'trackers-list',
  `select ${COLUMNS} from trackers where project_id = $1 order by created_at, tracker_id`,
  recordOf,
);

/** A tracker of the project; null when it has none with this id. */
export const findTracker = statement.one<[projectId: string, trackerId: string], TrackerRow, Tracker>(
  'tracker-find',
  `select ${COLUMNS} from trackers where project_id = $1 and tracker_id = $2`,
  recordOf,
);

/** A tracker of the project, held until the transaction ends; null when it is gone. */
export const lockTracker = inTransaction.one<
  [projectId: string, trackerId: string],
  SettingsRow & { kind: TrackerKind },
  { kind: TrackerKind; settings: TrackerSettings }
>(
  'tracker-lock',
  `select kind, ${SETTINGS_COLUMNS} from trackers where project_id = $1 and tracker_id = $2 for update`,
  (row) => ({ kind: row.kind, settings: settingsOf(row) }),
);

function settingsOf(row: SettingsRow): TrackerSettings {
  return {
    name: row.name,
    target: row.target,
    user: row.user_name,
    issueType: row.issue_type,
    extraFields: row.extra_fields,
    closeOnResolve: row.close_on_resolve,
    reopenOnRegress: row.reopen_on_regress,
    resolveOnClose: row.resolve_on_close,
    wontFix: row.wont_fix,
    syncAssignee: row.sync_assignee,
    syncNotes: row.notes_since !== null,
    sealedToken: row.sealed_token,
  };
}

/** The values of `SETTINGS_COLUMNS`, in their order; the last one is true if notes cross. */
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
    settings.syncAssignee,
    settings.sealedToken,
    JSON.stringify(settings.extraFields),
    settings.syncNotes,
  ];
}

export const countTrackers = inTransaction.value<[projectId: string], number>(
  'trackers-count',
  'select count(*) as trackers from trackers where project_id = $1',
  0,
);

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
    /** The hook of a generic tracker; other trackers get one on request. */
    hook: { tokenHash: Buffer; sealedCallback: Buffer } | null;
  },
): Promise<void> {
  await transaction.query(
    sql(
      'tracker-insert',
    )`insert into trackers (tracker_id, project_id, created_by_user_id, kind, base_url, ${SETTINGS_COLUMNS},
          hook_token_hash, sealed_callback)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
          case when $17 then culprit_now() end, $18, $19)`,
    [
      made.trackerId,
      made.projectId,
      made.createdByUserId,
      made.kind,
      made.baseUrl,
      ...settingsParameters(made.settings),
      made.hook?.tokenHash ?? null,
      made.hook?.sealedCallback ?? null,
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
    sql(
      'tracker-update',
    )`update trackers set (${SETTINGS_COLUMNS}) = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
            case when $14 then coalesce(notes_since, culprit_now()) end),
          updated_at = culprit_now()
        where project_id = $1 and tracker_id = $2`,
    [projectId, trackerId, ...settingsParameters(settings)],
  );
}

/** Returns true if a tracker exists. */
export const hasTracker = statement.exists<[trackerId: string]>(
  'tracker-exists',
  'select from trackers where tracker_id = $1',
);

/** Returns true if alert rules of a project create tickets in a tracker. */
export const isTrackerAlerted = inTransaction.exists<[projectId: string, trackerId: string]>(
  'tracker-alerted',
  `select from alert_rules where project_id = $1 and config ->> 'tracker_id' = $2 limit 1`,
);

/** Returns true if incidents have tickets of a tracker. */
export const isTrackerUsed = inTransaction.exists<[trackerId: string]>(
  'tracker-used',
  'select from incident_links where tracker_id = $1 limit 1',
);

/**
 * Deletes a held tracker; its links stay as plain addresses, those without an address go, and alert rules lose it as
 * their target.
 */
export async function deleteTrackerRow(
  transaction: Transaction,
  projectId: string,
  trackerId: string,
): Promise<void> {
  await transaction.query(
    {
      name: 'tracker-delete',
      // A merge of incidents locks their links in this order too.
      text: `with held as (
          select link_id, url from incident_links where tracker_id = $1 order by link_id for update
        ), unlinked as (
          update incident_links k set tracker_id = null, state = 'open', state_name = null, last_error = null,
            is_paused = false, sync = '{}', needs_back_link = false, to_say = '{}'
          from held where k.link_id = held.link_id and held.url is not null
        ), dropped as (
          delete from incident_links k using held where k.link_id = held.link_id and held.url is null
        ), aimless as (
          update alert_rules set config = '{}', updated_at = culprit_now()
          where project_id = $2 and config ->> 'tracker_id' = $1::uuid::text
        )
        delete from trackers where tracker_id = $1`,
    },
    [trackerId, projectId],
  );
}
