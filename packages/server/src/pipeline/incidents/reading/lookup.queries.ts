import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { LOOKUP_MATCHES_MAX } from '@culprit/contract/incidents/lookup';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { anyHour } from '../../stored-events/hour-keys.ts';

/** Statements that find by an id what applications sent. Ids are compared by their hashes. */

export interface FoundById {
  kind: 'incident' | 'event' | 'trace' | 'request' | 'session';
  incidentId: string | null;
  occurredAtMs: number;
}

/** Events of one id that are read at most: the newest. */
const EVENTS_MAX = 1000;

/**
 * The incident of an id, and the incidents with an event, trace, request or session of it, newest first; without an
 * incident where none has it.
 */
export async function findById(
  database: Queryable,
  projectIds: readonly string[],
  id: { text: string; uuid: string | null; hash: bigint; eventKey: bigint },
): Promise<FoundById[]> {
  return await database.query<FoundById>(FIND, [
    [...projectIds],
    id.text,
    id.uuid,
    String(id.hash),
    String(id.eventKey),
  ]);
}

/** The incidents whose events carry the id in this column. */
function sharing(kind: string, column: string): string {
  return `select '${kind}' as kind, incident_id, max(occurred_at) as occurred_at
        from (
          select incident_id, occurred_at from events
          where ${column} = any (${anyHour('$4::bigint')}) and project_id = any ($1::uuid[])
          order by occurred_at desc limit ${EVENTS_MAX}
        ) e group by incident_id`;
}

// The row of an event id contains the fingerprint under which the event was counted, and its approximate receive time;
// the row of the event itself shows which of the incidents of that fingerprint has it. Context has no fingerprint.
const FIND = sql('lookup')`
    with known as (
      select k.project_id, k.received_at, k.signal_key from known_event_ids k
      where k.project_id = any ($1::uuid[]) and k.id_hash = $5::bigint
    ), keys as (
      select distinct k.received_at, i.incident_id
      from known k
      join services s on s.project_id = k.project_id
      join incidents i on i.service_id = s.service_id and i.fingerprint_version = '${FINGERPRINT_VERSION}'
        and i.fingerprint between int8send(k.signal_key)
          and int8send(k.signal_key) || decode(repeat('ff', 24), 'hex')
      where k.signal_key <> 0
      union
      select k.received_at, a.incident_id
      from known k
      join services s on s.project_id = k.project_id
      join incident_aliases a on a.service_id = s.service_id and a.fingerprint_version = '${FINGERPRINT_VERSION}'
        and a.fingerprint between int8send(k.signal_key)
          and int8send(k.signal_key) || decode(repeat('ff', 24), 'hex')
      where k.signal_key <> 0
    ), counted as (
      select k.incident_id, (select e.occurred_at from events e
          where e.incident_id = k.incident_id and e.event_id = $2
            and e.received_at between k.received_at - interval '1 day' and k.received_at + interval '1 day'
          limit 1) as occurred_at
      from keys k
    ), correlated as (
      ${sharing('trace', 'trace_hash')}
      union all
      ${sharing('request', 'request_hash')}
      union all
      ${sharing('session', 'session_hash')}
    )
    select kind, incident_id as "incidentId", occurred_at as "occurredAtMs" from (
      select 'incident' as kind, incident_id, last_seen_at as occurred_at from incidents
      where incident_id = $3::uuid and project_id = any ($1::uuid[])
      union all
      select 'event', incident_id, occurred_at from counted where occurred_at is not null
      union all
      select 'event', null, received_at from known
      where not exists (select from counted c where c.occurred_at is not null)
      union all
      select * from correlated c
      where c.incident_id is not null
        or not exists (select from correlated o where o.kind = c.kind and o.incident_id is not null)
    ) found order by occurred_at desc limit ${LOOKUP_MATCHES_MAX}`;
