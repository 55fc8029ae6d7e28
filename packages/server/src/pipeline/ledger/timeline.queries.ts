import { eventTitle } from '@culprit/evidence/events/fingerprint/event-title';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { eventTypeCode, levelRank } from '../stored-events/event-codes.ts';

/**
 * Links events to the timelines of incidents that are not occurrences of it (docs/contract/incidents.md 2.6). Repeats are
 * ignored.
 */
export function attachContextRows(
  transaction: Transaction,
  events: readonly { incidentId: string; event: NormalizedEvent; isSignal: boolean }[],
): void {
  if (events.length === 0) return;
  transaction.send(
    sql(
      'incident-context-attach',
    )`insert into incident_context (incident_id, event_id, event_type, level, occurred_at, received_at, summary)
        select c.* from json_to_recordset($1::json) as c (incident_id uuid, event_id text, event_type smallint,
          level smallint, occurred_at timestamptz, received_at timestamptz, summary text)
        order by c.incident_id, c.event_id
        on conflict do nothing`,
    [
      JSON.stringify(
        events.map(({ incidentId, event, isSignal }) => ({
          incident_id: incidentId,
          event_id: event.eventId,
          event_type: eventTypeCode(event.eventType),
          level: contextLevelRank(event, isSignal),
          occurred_at: new Date(event.effectiveAtMs).toISOString(),
          received_at: new Date(event.receivedAtMs).toISOString(),
          summary: eventTitle(event),
        })),
      ),
    ],
  );
}

function contextLevelRank(event: NormalizedEvent, isSignal: boolean): number {
  if (event.payload.kind === 'log') return levelRank(event.payload.level);
  return event.payload.kind === 'exception' || isSignal ? levelRank('error') : -1;
}
