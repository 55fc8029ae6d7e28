import type { HistoryEntry } from '@culprit/contract/incidents/incident-history';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

interface HistoryRow {
  id: string;
  kind: HistoryEntry['kind'];
  occurred_at: number;
  user_id: string | null;
  name: string | null;
  email: string | null;
  severity_from: HistoryEntry['data']['severity_from'];
  severity_to: HistoryEntry['data']['severity_to'];
  deployment_id: string | null;
  generation: number | null;
  assignee: HistoryEntry['data']['assignee'];
  priority_from: HistoryEntry['data']['priority_from'];
  priority_to: HistoryEntry['data']['priority_to'];
  snoozed_until: string | null;
  because: string | null;
  kept_silent: number | null;
  note_id: string | null;
  fix_id: string | null;
  fix: HistoryEntry['data']['fix'];
  link_id: string | null;
  ticket: string | null;
  link_state: HistoryEntry['data']['link_state'];
  closed_by: string | null;
  reason: string | null;
  release: string | null;
  via: string | null;
}

/**
 * Returns the ledger's entries about an incident, in its order (docs/contract/server-additions.md S5).
 * @param afterId of the last entry of the page before
 */
export async function listHistoryRows(
  database: Queryable,
  incidentId: string,
  page: { afterId: number | null; limit: number },
): Promise<HistoryEntry[]> {
  const rows = await database.query<HistoryRow>(LIST, [incidentId, page.afterId, page.limit]);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    occurred_at: new Date(row.occurred_at).toISOString(),
    actor: actorOf(row),
    data: {
      severity_from: row.severity_from,
      severity_to: row.severity_to,
      deployment_id: row.deployment_id,
      generation: row.generation,
      assignee: row.assignee,
      priority_from: row.priority_from,
      priority_to: row.priority_to,
      snoozed_until: row.snoozed_until,
      because: row.because,
      kept_silent: row.kept_silent,
      note_id: row.note_id,
      fix_id: row.fix_id,
      fix: row.fix,
      link_id: row.link_id,
      ticket: row.ticket,
      link_state: row.link_state,
      closed_by: row.closed_by,
      reason: row.reason,
      release: row.release,
      via: row.via,
    },
  }));
}

function actorOf({ user_id: id, name, email }: HistoryRow): HistoryEntry['actor'] {
  return id === null || name === null || email === null ? null : { user_id: id, name, email };
}

// The ledger keeps what a deploy was, not its row; retention may have taken that.
const LIST = sql('incident-history')`
    select l.lifecycle_id::text as id, l.kind, l.occurred_at, u.user_id, coalesce(u.name, u.handle) as name, u.email,
      case when l.kind = 'incident.severity_raised' then l.data ->> 'from' end as severity_from,
      case when l.kind = 'incident.severity_raised' then l.data ->> 'to' else l.data ->> 'severity' end as severity_to,
      (select d.deployment_id from deployments d
        where d.project_id = i.project_id and d.service_name = i.service_name and d.environment = i.environment
          and d.deployed_at = (l.data ->> 'deploy_deployed_at')::timestamptz
          and d.version is not distinct from l.data ->> 'deploy_version'
          and d.commit_sha is not distinct from l.data ->> 'deploy_commit_sha' limit 1) as deployment_id,
      case when l.kind like 'bundle.%' then (l.data ->> 'generation')::integer end as generation,
      case when jsonb_typeof(l.data -> 'assignee') = 'object' then l.data -> 'assignee' end as assignee,
      l.data ->> 'priority_from' as priority_from, l.data ->> 'priority_to' as priority_to,
      case when l.kind = 'incident.snoozed' then l.data ->> 'until' end as snoozed_until,
      l.data ->> 'because' as because, (l.data ->> 'kept_silent')::integer as kept_silent,
      l.data ->> 'note_id' as note_id, l.data ->> 'fix_id' as fix_id,
      (select jsonb_build_object('url', f.url, 'commit_sha', f.commit_sha, 'release', f.release,
          'author', coalesce(a.name, a.handle))
        from incident_fixes f left join users a on a.user_id = f.author_user_id
        where f.fix_id = (l.data ->> 'fix_id')::uuid) as fix,
      l.data ->> 'link_id' as link_id, l.data ->> 'ticket' as ticket, l.data ->> 'link_state' as link_state,
      l.data ->> 'closed_by' as closed_by, l.data ->> 'reason' as reason,
      l.data ->> 'release' as release,
      l.data ->> 'via' as via
    from lifecycle_events l join incidents i using (incident_id)
    left join users u on u.user_id = (l.data ->> 'user_id')::uuid
    where l.incident_id = $1 and ($2::bigint is null or l.lifecycle_id > $2)
    order by l.lifecycle_id limit $3`;
