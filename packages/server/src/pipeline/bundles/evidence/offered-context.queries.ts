import { CONTEXT_OFFERS, offerBits, offeredByContext } from '@culprit/evidence/bundles/evidence/offers';
import type { EventType } from '@culprit/evidence/events/normalize/event';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { eventTypeCode, eventTypeOf } from '../../stored-events/event-codes.ts';

/** Exceptions: nearly every project sends them, so there is nothing to remember. */
const ALWAYS_SENT = offerBits('job_exception');

/** Returns the kinds that these events are noted as, as bits; zero where one of them may be there without a note. */
export function notedKinds(types: readonly EventType[]): number {
  const kinds = types.map((type) => offeredByContext(type) & ~ALWAYS_SENT);
  return kinds.includes(0) ? 0 : kinds.reduce((all, bits) => all | bits, 0);
}

/**
 * Remembers the kinds of context that a project sent: nothing else is looked for. The transaction also adds the events,
 * so that a statement that sees them sees their kinds.
 * @param types codes of all types of these events
 */
export function noteContext(transaction: Transaction, projectId: string, types: ReadonlySet<number>): void {
  let bits = 0;
  for (const type of types) bits |= offeredByContext(eventTypeOf(type)) & ~ALWAYS_SENT;
  if (bits === 0) return;
  transaction.send(
    sql('context-note')`insert into context_kinds as k (project_id, offers) select $1, $2
        where not exists (select from context_kinds k where k.project_id = $1 and k.offers & $2 = $2)
        on conflict (project_id) do update set offers = k.offers | excluded.offers`,
    [projectId, bits],
  );
}

/**
 * Types of events around the primary occurrences of these incidents, which their documents would show, by incident.
 * Looks only for incidents to which some kind of context was never offered, within the ids and windows of
 * docs/contract/incidents.md 3.3, and not through all of a very long trace.
 * @param looksForAll false if only kinds matter that the project sent and the incident was not offered
 */
export async function findOfferedContext(
  transaction: Transaction,
  incidentIds: readonly string[],
  looksForAll: boolean,
): Promise<Map<string, EventType[]>> {
  const found = new Map<string, EventType[]>();
  if (incidentIds.length === 0) return found;
  const rows = await transaction.query<{ incident_id: string; event_type: number }>(OFFERED_CONTEXT, [
    [...incidentIds],
    CONTEXT_OFFERS,
    looksForAll ? CONTEXT_OFFERS : ALWAYS_SENT,
  ]);
  for (const { incident_id, event_type } of rows) {
    const types = found.get(incident_id);
    if (types === undefined) found.set(incident_id, [eventTypeOf(event_type)]);
    else types.push(eventTypeOf(event_type));
  }
  return found;
}

const LOOKED_THROUGH_MAX = 1000;

const codes = (...types: EventType[]) => types.map(eventTypeCode).join();
const BROWSER = codes('frontend_breadcrumb', 'frontend_exception');
const EXCEPTION = codes('backend_exception');
const SERVER = codes('log_event', 'request_event', 'probe_event');

/**
 * Returns the query for the events with one id that were received within about an hour of the primary occurrence; what
 * comes later asks for a bundle itself.
 */
function around(column: string, types: string, before: string, after: string): string {
  return `(
        select distinct near.event_type from (
          select e.event_type, e.occurred_at, e.incident_id, e.is_counted from events e
          where e.${column} = any (array[
              p.${column},
              hour_key(p.${column}, p.received_at - interval '1 h'),
              hour_key(p.${column}, p.received_at + interval '1 h')
            ]) and e.project_id = p.project_id
            and e.received_at >= p.received_at - interval '1 h' and e.received_at <= p.received_at + interval '1 h'
          limit ${LOOKED_THROUGH_MAX}
        ) near
        where near.event_type in (${types})
          and near.occurred_at between p.occurred_at - interval '${before}' and p.occurred_at + interval '${after}'
          and (near.incident_id is distinct from p.incident_id or not near.is_counted))`;
}

const OFFERED_CONTEXT = {
  name: 'bundles-offered-context',
  text: `
    select p.incident_id, near.event_type
    from unnest($1::uuid[]) as a (incident_id)
    join bundles b on b.incident_id = a.incident_id
    left join context_kinds k on k.project_id = b.project_id
    join incident_samples s on s.incident_id = a.incident_id and 'highest_severity' = any (s.roles)
      and $2 & ~b.offers & (coalesce(k.offers, 0) | $3) <> 0
    cross join lateral (
      select * from events e where e.incident_id = s.incident_id and e.occurred_at = s.effective_at
        and e.received_at = s.received_at and e.event_id = s.event_id limit 1
    ) p
    cross join lateral (
      ${around('trace_hash', `${SERVER},${BROWSER},${EXCEPTION}`, '24 h', '24 h')}
      union
      ${around('request_hash', SERVER, '24 h', '24 h')}
      union
      ${around('session_hash', BROWSER, '5 min', '30 s')}
    ) near`,
};
