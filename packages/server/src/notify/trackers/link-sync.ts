import {
  type AssigneeSync,
  TICKET_COMMENTS,
  type TicketComments,
  type WontFixEffect,
} from '@culprit/contract/alerts/tracker-words';
import { SAID_KINDS } from './trackers.jobs.ts';

/** The settings of what crosses between an incident and one of its tickets (docs/contract/team-workflow.md 7.4). */
export interface LinkSync {
  closeOnResolve: boolean;
  reopenOnRegress: boolean;
  resolveOnClose: boolean;
  wontFix: WontFixEffect;
  assignee: AssigneeSync;
  comments: readonly TicketComments[];
  /** Notes and comments cross that are newer, in milliseconds since the epoch; null: none do. */
  notesSinceMs: number | null;
}

/** The settings of a link `k`, or else of its tracker `t`, as expressions in SQL. */
export const SYNC = {
  assignee: `coalesce(k.sync ->> 'assignee', t.sync_assignee)`,
  comments: `coalesce(k.sync -> 'comments', '${JSON.stringify(TICKET_COMMENTS)}')`,
  notesSince: `(case when k.sync ? 'notes' then k.notes_since else t.notes_since end)`,
} as const;

const KINDS = Object.entries(SAID_KINDS);
/** Conditions: comments report a row `l` of the ledger; comments of the ticket of a link report it. */
export const SAID = {
  isSaidKind: `l.kind in (${KINDS.map(([kind]) => `'${kind}'`).join(', ')})`,
  isWanted: `${SYNC.comments} ? (case l.kind ${KINDS.map(([kind, word]) => `when '${kind}' then '${word}'`).join(' ')} end)`,
} as const;

/** The columns of a row with the settings of a link `k` of a tracker `t`. */
export const SYNC_COLUMNS = `coalesce((k.sync ->> 'close_on_resolve')::boolean, t.close_on_resolve) as close_on_resolve,
  coalesce((k.sync ->> 'reopen_on_regress')::boolean, t.reopen_on_regress) as reopen_on_regress,
  coalesce((k.sync ->> 'resolve_on_close')::boolean, t.resolve_on_close) as resolve_on_close,
  coalesce(k.sync ->> 'wont_fix', t.wont_fix) as wont_fix, ${SYNC.assignee} as assignee, ${SYNC.comments} as comments,
  ${SYNC.notesSince} as notes_since`;

export interface SyncRow {
  close_on_resolve: boolean;
  reopen_on_regress: boolean;
  resolve_on_close: boolean;
  wont_fix: WontFixEffect;
  assignee: AssigneeSync;
  comments: TicketComments[];
  notes_since: number | null;
}

export function syncOf(row: SyncRow): LinkSync {
  return {
    closeOnResolve: row.close_on_resolve,
    reopenOnRegress: row.reopen_on_regress,
    resolveOnClose: row.resolve_on_close,
    wontFix: row.wont_fix,
    assignee: row.assignee,
    comments: row.comments,
    notesSinceMs: row.notes_since,
  };
}
