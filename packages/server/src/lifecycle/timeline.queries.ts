import type { NormalizedEvent } from '../events/event.ts';
import { eventTypeCode, levelRank } from '../events/event-codes.ts';
import type { Queryable } from '../platform/db/database.ts';

/** Links events to an incident's timeline that are not occurrences of it (incidents.md 2.6). Repeats are ignored. */
export async function attachContextRows(
  database: Queryable,
  incidentId: string,
  events: readonly { event: NormalizedEvent; isSignal: boolean }[],
): Promise<void> {
  if (events.length === 0) return;
  await database.query(
    {
      name: 'incident-context-attach',
      text: `insert into incident_context (incident_id, event_id, event_type, level, occurred_at, received_at)
        select $1, c.* from json_to_recordset($2::json) as c (event_id text, event_type smallint, level smallint,
          occurred_at timestamptz, received_at timestamptz)
        order by c.event_id
        on conflict do nothing`,
    },
    [
      incidentId,
      JSON.stringify(
        events.map(({ event, isSignal }) => ({
          event_id: event.eventId,
          event_type: eventTypeCode(event.eventType),
          level: contextLevelRank(event, isSignal),
          occurred_at: new Date(event.effectiveAtMs).toISOString(),
          received_at: new Date(event.receivedAtMs).toISOString(),
        })),
      ),
    ],
  );
}

function contextLevelRank(event: NormalizedEvent, isSignal: boolean): number {
  if (event.payload.kind === 'log') return levelRank(event.payload.level);
  return event.payload.kind === 'exception' || isSignal ? levelRank('error') : -1;
}
