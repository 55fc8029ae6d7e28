import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import {
  CLIENT_DAYS_DEFAULT,
  type listProjectClients as endpoint,
  type ProjectClient,
} from '@culprit/contract/setup/clients';
import { sql } from '../../../platform/db/statement.ts';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';

interface ClientsPage {
  /** Service, environment, library and version of the last client of the page before. */
  after: readonly string[];
  days: number;
  limit: number;
}

const CURSOR_PARTS = 4;

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkClientsPage({ query }: { query: QueryOf<typeof endpoint> }): ClientsPage {
  const { days = CLIENT_DAYS_DEFAULT, limit = PAGE_SIZE_DEFAULT, cursor } = query;
  if (cursor === undefined) return { after: ['', '', '', ''], days, limit };
  const after = decodeCursor(cursor, CURSOR_PARTS);
  if (after === null) throw invalidCursor();
  return { after, days, limit };
}

/**
 * A page of the client libraries of a project by service, environment, library and version, with what they sent and lost
 * (docs/contract/incidents.md 7.1.1).
 */
export async function listClients(
  { database }: Runtime,
  { access, checked: { after, days, limit } }: ApiRequest<typeof endpoint, ClientsPage>,
): Promise<{ clients: ProjectClient[]; next_cursor: string | null }> {
  const rows = await database.query<ProjectClient>(LIST, [access.projectId, days, ...after, limit + 1]);
  const clients = rows.slice(0, limit);
  const last = clients.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    clients,
    next_cursor: isEnd
      ? null
      : encodeCursor([last.service_name, last.environment, last.sdk_name, last.sdk_version]),
  };
}

const LIST = sql('clients-list')`
    with counts as (
      select service_id, sdk_name, sdk_version, outcome, sum(events)::bigint as events, max(day) as last_day
      from client_counts
      where project_id = $1 and day > ((select culprit_now()) at time zone 'UTC')::date - $2::integer
      group by 1, 2, 3, 4
    ), clients as (
      select service_id, sdk_name, sdk_version, max(last_day)::text as last_day,
        coalesce(sum(events) filter (where outcome = 'received'), 0)::bigint as events,
        coalesce(json_object_agg(outcome, events order by outcome)
          filter (where outcome not in ('received', 'tags')), '{}') as lost,
        coalesce(sum(events) filter (where outcome = 'tags'), 0)::bigint as tags_left_out
      from counts group by 1, 2, 3
    )
    select c.service_id, s.name as service_name, s.environment, c.sdk_name, c.sdk_version, c.events, c.lost,
      c.tags_left_out, c.last_day
    from clients c join services s using (service_id)
    where s.project_id = $1 and (s.name, s.environment, c.sdk_name, c.sdk_version) > ($3, $4, $5, $6)
    order by s.name, s.environment, c.sdk_name, c.sdk_version limit $7`;
