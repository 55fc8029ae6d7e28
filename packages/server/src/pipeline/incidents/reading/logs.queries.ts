import type { LogRow } from '@culprit/contract/incidents/logs';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import {
  type EventLocation,
  type LocationRow,
  locationOf,
} from '../../bundles/evidence/bundle-evidence.queries.ts';
import { eventTypeOf, levelOfRank } from '../../stored-events/event-codes.ts';

/** Statements over the events attached to an incident: its own rows and the context its bundles used. */

export interface LogPosition {
  occurredAtMs: number;
  eventId: string;
}

/** A row, its place in the order, and where its bytes lie; null for context and for what is gone. */
export interface ListedEvent {
  row: LogRow;
  position: LogPosition;
  place: EventLocation | null;
}

/** A page of the events attached to an incident (docs/contract/incidents.md 2.6). */
export async function listLogRows(
  database: Queryable,
  incidentId: string,
  page: { level: number | null; after: LogPosition | null; limit: number },
): Promise<ListedEvent[]> {
  const rows = await database.query<
    Omit<LocationRow, 'object_key' | 'is_origin_bound'> & {
      object_key: string | null;
      event_type: number;
      occurred_at: number;
      is_sampled: boolean;
      level: number;
      summary: string | null;
    }
  >(LIST, [
    incidentId,
    page.level,
    page.after === null ? null : new Date(page.after.occurredAtMs),
    page.after?.eventId ?? null,
    page.limit,
  ]);
  return rows.map((row) => ({
    row: {
      event_id: row.event_id,
      event_type: eventTypeOf(row.event_type),
      occurred_at: new Date(row.occurred_at).toISOString(),
      is_sampled: row.is_sampled,
      level: levelOfRank(row.level),
      summary: row.summary,
    },
    position: { occurredAtMs: row.occurred_at, eventId: row.event_id },
    place:
      row.object_key === null
        ? null
        : locationOf({ ...row, object_key: row.object_key, is_origin_bound: false }),
  }));
}

// Event ids are compared by bytes, in the order of the index, whatever the database's collation is. A sample keeps its
// role for as long as the incident lives, its detail until the raw event is gone.
const LIST = sql('logs-list')`
    with own as (
      select event_id, event_type, occurred_at, level, null as summary, batch_id, frame_offset, frame_length,
        record_offset, received_at
      from events
      where incident_id = $1 and ($2::smallint is null or level = $2)
        and ($3::timestamptz is null or (occurred_at, event_id) < ($3, $4::text))
      order by occurred_at desc, event_id desc limit $5
    ), linked as (
      select event_id, event_type, occurred_at, level, summary, null::uuid, null::integer, null::integer,
        null::integer, received_at
      from incident_context
      where incident_id = $1 and ($2::smallint is null or level = $2)
        and ($3::timestamptz is null or (occurred_at, event_id) < ($3, $4::text))
      order by occurred_at desc, event_id desc limit $5
    ), page as (
      select distinct on (occurred_at, event_id) * from (select * from own union all select * from linked) r
      order by occurred_at desc, event_id desc, batch_id nulls last limit $5
    )
    select r.event_id, r.event_type, r.occurred_at, r.level, r.summary, r.batch_id, b.object_key,
      coalesce(b.object_offset, 0) + r.frame_offset as frame_offset, r.frame_length, r.record_offset, r.received_at,
      exists (
        select from incident_samples s join batches kept on kept.batch_id = s.batch_id
        where s.incident_id = $1 and s.event_id = r.event_id) as is_sampled
    from page r left join batches b using (batch_id)
    order by r.occurred_at desc, r.event_id desc`;

/** An event attached to an incident: its time, and the place of its bytes if its row contains it. */
export interface AttachedEvent {
  occurredAtMs: number;
  receivedAtMs: number;
  isSampled: boolean;
  /** The rank of its shown level; null for samples, which are signals. */
  level: number | null;
  /** Null when they are gone. */
  place: EventLocation | null;
  /** Its row does not contain the place: it is in one of the project's batches of that moment. */
  isContext: boolean;
}

interface AttachedRow extends Omit<LocationRow, 'object_key' | 'is_origin_bound'> {
  object_key: string | null;
  occurred_at: number;
  level: number | null;
  kind: 'sample' | 'own' | 'context';
}

/**
 * The rows of the incident that are searched for an event that is no sample and whose id is no longer known: a bound on
 * the work of one request. The newest.
 */
const ROWS_LOOKED_THROUGH_MAX = 50_000;

/** The event of that id; null when the incident has none. Each look costs more than the one before. */
export async function findAttachedEvent(
  database: Queryable,
  event: { projectId: string; incidentId: string; eventId: string; idHash: bigint },
): Promise<AttachedEvent | null> {
  const { projectId, incidentId, eventId, idHash } = event;
  for (const [name, text] of Object.entries(LOOKS)) {
    const parameters =
      name === 'recent' ? [incidentId, eventId, projectId, String(idHash)] : [incidentId, eventId];
    const [row] = await database.query<AttachedRow>({ name: `event-attached-${name}`, text }, parameters);
    if (row === undefined) continue;
    return {
      occurredAtMs: row.occurred_at,
      receivedAtMs: row.received_at,
      isSampled: row.kind === 'sample' && row.object_key !== null,
      level: row.level,
      isContext: row.kind === 'context',
      place:
        row.object_key === null
          ? null
          : locationOf({ ...row, object_key: row.object_key, is_origin_bound: false }),
    };
  }
  return null;
}

const PLACE = `coalesce(b.object_offset, 0) + e.frame_offset as frame_offset, e.frame_length, e.record_offset, b.object_key`;
const OWN = `select e.event_id, e.occurred_at, e.received_at, e.batch_id, e.level, 'own' as kind, ${PLACE}`;

const LOOKS = {
  sample: `select e.event_id, e.effective_at as occurred_at, e.received_at, e.batch_id, null::smallint as level,
      'sample' as kind, ${PLACE}
    from incident_samples e left join batches b using (batch_id)
    where e.incident_id = $1 and e.event_id = $2`,
  context: `select event_id, occurred_at, received_at, null::uuid as batch_id, level, 'context' as kind,
      null::integer as frame_offset, null::integer as frame_length, null::integer as record_offset,
      null as object_key
    from incident_context where incident_id = $1 and event_id = $2`,
  recent: `${OWN} from events e left join batches b on b.batch_id = e.batch_id
    where e.id_hash = $4::bigint and e.project_id = $3 and e.incident_id = $1 and e.event_id = $2 limit 1`,
  older: `${OWN} from (
        select * from events where incident_id = $1 order by occurred_at desc limit ${ROWS_LOOKED_THROUGH_MAX}
      ) e left join batches b on b.batch_id = e.batch_id
    where e.event_id = $2 limit 1`,
};

/** The events of an incident next to a place in its order. */
export async function findNeighbours(
  database: Queryable,
  incidentId: string,
  { occurredAtMs, eventId }: LogPosition,
): Promise<{ older: string | null; newer: string | null }> {
  const [row] = await database.query<{ older: string | null; newer: string | null }>(NEIGHBOURS, [
    incidentId,
    new Date(occurredAtMs),
    eventId,
  ]);
  return row ?? { older: null, newer: null };
}

function neighbour(comparison: '<' | '>', order: 'asc' | 'desc'): string {
  const from = (table: string) => `(select event_id, occurred_at from ${table}
        where incident_id = $1 and (occurred_at, event_id) ${comparison} ($2::timestamptz, $3::text)
        order by occurred_at ${order}, event_id ${order} limit 1)`;
  return `(select event_id from (${from('events')} union all ${from('incident_context')}) next
      order by occurred_at ${order}, event_id ${order} limit 1)`;
}

const NEIGHBOURS = sql(
  'event-neighbours',
)`select ${neighbour('<', 'desc')} as older, ${neighbour('>', 'asc')} as newer`;

/** Batches of one receive time that are looked through. */
const BATCHES_MAX = 8;

export interface BatchLocation {
  batchId: string;
  objectKey: string;
  offset: number;
  sizeBytes: number;
}

/** The batches that a project received at a moment. */
export async function findBatchesAt(
  database: Queryable,
  projectId: string,
  receivedAtMs: number,
): Promise<BatchLocation[]> {
  const rows = await database.query<{
    batch_id: string;
    object_key: string;
    object_offset: number | null;
    size_bytes: number;
  }>(
    sql('batches-at')`select batch_id, object_key, object_offset, size_bytes from batches
        where project_id = $1 and received_at = $2 limit ${BATCHES_MAX}`,
    [projectId, new Date(receivedAtMs)],
  );
  return rows.map((row) => ({
    batchId: row.batch_id,
    objectKey: row.object_key,
    offset: row.object_offset ?? 0,
    sizeBytes: row.size_bytes,
  }));
}
