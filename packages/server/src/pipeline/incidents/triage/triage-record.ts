import { LINKS_SHOWN } from '@culprit/contract/alerts/tracker-words';
import type { Triage } from '@culprit/contract/incidents/triage';
import { PRIORITY_CODES, priorityOf } from './priority-rules.ts';

/** A row of `TRIAGE_COLUMNS`. Times are milliseconds since the epoch. */
export interface TriageRow {
  priority_codes: string[];
  snoozed_until: number | null;
  wake_at_count: number | null;
  wake_at_users: number | null;
  wake_after_deploy_at: number | null;
  wake_at_hourly: number | null;
  /** Null: no person touched it. */
  triage: {
    priority: number | null;
    assigned_at: string | null;
    user: PersonJson | null;
    team: { team_id: string; name: string; slug: string } | null;
    snoozed_at: string | null;
    snoozed_by: PersonJson | null;
    snooze_reason: string | null;
  } | null;
  snoozed_count: number | null;
  occurrence_count: number;
  notes: number;
  links: Triage['links'];
}

interface PersonJson {
  user_id: string;
  name: string;
  handle: string;
  email: string;
}

/** A person as others see one, of the table alias `u`. */
const PERSON = (alias: string) => `case when ${alias}.user_id is not null then json_build_object(
  'user_id', ${alias}.user_id, 'name', coalesce(${alias}.name, ${alias}.handle), 'handle', ${alias}.handle,
  'email', ${alias}.email) end`;

/** The columns of people's decisions about an incident `i`. */
export const TRIAGE_COLUMNS = `
  ${PRIORITY_CODES} as priority_codes,
  i.snoozed_until, i.snoozed_count, i.wake_at_count, i.wake_at_users, i.wake_after_deploy_at, i.wake_at_hourly,
  (select json_build_object('priority', t.priority, 'assigned_at', t.assigned_at, 'user', ${PERSON('u')},
      'team', case when g.team_id is not null then
        json_build_object('team_id', g.team_id, 'name', g.name, 'slug', g.slug) end, 'snoozed_at', t.snoozed_at, 'snoozed_by', ${PERSON('s')},
      'snooze_reason', t.snooze_reason)
    from incident_triage t
    left join users u on u.user_id = t.assignee_user_id
    left join teams g on g.team_id = t.assignee_team_id
    left join users s on s.user_id = t.snoozed_by_user_id
    where t.incident_id = i.incident_id) as triage,
  (select count(*) from incident_notes n
    where n.incident_id = i.incident_id and n.deleted_at is null)::integer as notes,
  (select coalesce(json_agg(json_build_object('link_id', k.link_id, 'key', k.key, 'url', k.url, 'state', k.state)
      order by k.created_at desc, k.link_id desc), '[]')
    from (select * from incident_links where incident_id = i.incident_id
      order by created_at desc, link_id desc limit ${LINKS_SHOWN}) k) as links`;

/** The field of the record (docs/contract/team-workflow.md 0.1). */
export function triageOf(row: TriageRow): Triage {
  return {
    priority: priorityOf(row.priority_codes, row.triage?.priority ?? null),
    assignee: assigneeOf(row.triage),
    snooze: snoozeOf(row),
    notes: row.notes,
    links: row.links,
  };
}

function assigneeOf(triage: TriageRow['triage']): Triage['assignee'] {
  if (triage === null || triage.assigned_at === null) return null;
  const { user, team } = triage;
  const at = isoOf(triage.assigned_at);
  if (user !== null) {
    const { user_id: id, name, handle, email } = user;
    return { kind: 'user', id, name, handle, email, at };
  }
  if (team === null) return null;
  return { kind: 'team', id: team.team_id, name: team.name, handle: team.slug, email: null, at };
}

function snoozeOf(row: TriageRow): Triage['snooze'] {
  const { triage } = row;
  if (row.snoozed_until === null || triage === null || triage.snoozed_at === null) return null;
  const by = triage.snoozed_by;
  return {
    until: new Date(row.snoozed_until).toISOString(),
    until_count: row.wake_at_count,
    until_users: row.wake_at_users,
    until_release: row.wake_after_deploy_at !== null,
    wakes_on_escalation: row.wake_at_hourly !== null,
    reason: triage.snooze_reason,
    set_at: isoOf(triage.snoozed_at),
    set_by: by === null ? null : { user_id: by.user_id, name: by.name },
    kept_silent: Math.max(0, row.occurrence_count - (row.snoozed_count ?? row.occurrence_count)),
  };
}

/** A time as JSON of the database writes it. */
function isoOf(text: string): string {
  return new Date(text).toISOString();
}
