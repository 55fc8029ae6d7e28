import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { eventIdKey } from '@culprit/evidence/events/redact/event-id-key';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { ServiceEvent } from './hold-groups.ts';

/** Looks of one transaction; what users say beyond them is context without an incident. */
const LOOKS_MAX = 100;

/**
 * The incidents of the events that users speak of (docs/contract/foreign-protocols.md 6.4), which may be of another
 * service: they saw the page, and a server failed.
 */
export async function findIncidentsSpokenOf(
  transaction: Transaction,
  projectId: string,
  events: readonly ServiceEvent[],
): Promise<Map<ServiceEvent, string>> {
  const said = new Map<ServiceEvent, string>();
  for (const each of events) {
    const { aboutEventId } = each.event;
    const isContext = each.record.eventClass !== 'incident_signal';
    if (aboutEventId !== null && isContext && said.size < LOOKS_MAX) {
      said.set(each, String(eventIdKey(aboutEventId)));
    }
  }
  if (said.size === 0) return new Map();
  const rows = await transaction.query<{ id_hash: string; incident_id: string }>(
    sql('incidents-spoken-of')`
        select distinct on (k.id_hash) k.id_hash::text as id_hash, i.incident_id
        from known_event_ids k
        join services s on s.project_id = k.project_id
        cross join lateral (
          select i.incident_id, i.last_seen_at from incidents i
          where i.service_id = s.service_id and i.fingerprint_version = '${FINGERPRINT_VERSION}'
            and i.fingerprint between int8send(k.signal_key)
              and int8send(k.signal_key) || decode(repeat('ff', 24), 'hex')
          union all
          select a.incident_id, i.last_seen_at from incident_aliases a join incidents i using (incident_id)
          where a.service_id = s.service_id and a.fingerprint_version = '${FINGERPRINT_VERSION}'
            and a.fingerprint between int8send(k.signal_key)
              and int8send(k.signal_key) || decode(repeat('ff', 24), 'hex')
        ) i
        where k.project_id = $1 and k.id_hash = any ($2::bigint[]) and k.signal_key <> 0
          and k.received_at >= (select culprit_now()) - interval '7 days'
        order by k.id_hash, (s.service_id = any ($3::uuid[])) desc, i.last_seen_at desc`,
    [
      projectId,
      [...new Set(said.values())],
      [...new Set([...said.keys()].map(({ serviceId }) => serviceId))],
    ],
  );
  const incidentOf = new Map(rows.map((row) => [row.id_hash, row.incident_id]));
  const found = new Map<ServiceEvent, string>();
  for (const [each, idHash] of said) {
    const incidentId = incidentOf.get(idHash);
    if (incidentId !== undefined) found.set(each, incidentId);
  }
  return found;
}
