import type { AssigneeSync, WontFixEffect } from '@culprit/contract/alerts/tracker-words';
import type { Tracker } from '@culprit/contract/alerts/trackers';

/** The values in the form of a tracker. */
export interface TrackerValues {
  kind: Tracker['kind'];
  target: string;
  base_url: string;
  user: string;
  issue_type: string;
  /** One field a line, `id: value`. */
  extra_fields: string;
  token: string;
  close_on_resolve: boolean;
  reopen_on_regress: boolean;
  resolve_on_close: boolean;
  wont_fix: WontFixEffect;
  sync_assignee: AssigneeSync;
  sync_notes: boolean;
}

export function valuesOf(stored: Tracker | null): TrackerValues {
  return {
    kind: stored?.kind ?? 'github',
    target: stored?.target ?? '',
    base_url: '',
    user: stored?.user ?? '',
    issue_type: stored?.issue_type ?? 'Task',
    extra_fields: (stored?.extra_fields ?? []).map(({ id, value }) => `${id}: ${value}`).join('\n'),
    token: '',
    close_on_resolve: stored?.close_on_resolve ?? true,
    reopen_on_regress: stored?.reopen_on_regress ?? true,
    resolve_on_close: stored?.resolve_on_close ?? true,
    wont_fix: stored?.wont_fix ?? 'snooze',
    sync_assignee: stored?.sync_assignee ?? 'none',
    sync_notes: stored?.sync_notes ?? false,
  };
}

/** The fields in lines of `id: value`; null when a line has no id or no value. */
export function readFields(text: string): Tracker['extra_fields'] | null {
  const fields: Tracker['extra_fields'] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    const colon = line.indexOf(':');
    const [id, value] = [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()];
    if (line === '') continue;
    if (!/^[A-Za-z]\w*$/.test(id) || value === '') return null;
    fields.push({ id, value });
  }
  return fields;
}

/** The settings that the form has, for a new tracker and for a change. */
export function bodyFrom(values: TrackerValues) {
  const { kind, close_on_resolve, reopen_on_regress, resolve_on_close, wont_fix } = values;
  const { sync_assignee, sync_notes } = values;
  const [token, user, type] = [values.token.trim(), values.user.trim(), values.issue_type.trim()];
  return {
    ...{ target: values.target.trim(), close_on_resolve, reopen_on_regress, resolve_on_close, wont_fix },
    ...{ sync_assignee, sync_notes },
    ...(token === '' || kind === 'generic' ? {} : { token }),
    ...(kind === 'jira' || kind === 'github' ? { user: user === '' ? null : user } : {}),
    ...(kind === 'jira'
      ? {
          issue_type: type === '' ? null : type,
          extra_fields: readFields(values.extra_fields) ?? [],
        }
      : {}),
  };
}
