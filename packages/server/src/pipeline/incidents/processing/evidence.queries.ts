import type { SampleRole } from '@culprit/evidence/events/normalize/sample-role';
import { binaryArray } from '../../../platform/db/binary-array.ts';
import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { noteContext } from '../../bundles/evidence/offered-context.queries.ts';

/** Statements over what incidents are made of: minute counts, samples, event rows. */

/** Occurrences per minute of incidents, by incident id. */
export async function readMinutes(
  transaction: Transaction,
  incidentIds: readonly string[],
): Promise<Map<string, Map<number, number>>> {
  const minutes = new Map<string, Map<number, number>>();
  if (incidentIds.length === 0) return minutes;
  const rows = await transaction.query<{ incident_id: string; minute: number; occurrences: number }>(
    sql(
      'minutes-read',
    )`select incident_id, minute, occurrences from incident_minutes where incident_id = any ($1::uuid[])`,
    [binaryArray('uuid', incidentIds)],
  );
  for (const row of rows) {
    const counts = minutes.get(row.incident_id) ?? new Map<number, number>();
    counts.set(row.minute, row.occurrences);
    minutes.set(row.incident_id, counts);
  }
  return minutes;
}

/** The limit of a minute's column; reports of suppressed repeats may name a million each. */
const OCCURRENCES_MAX = 2_147_483_647;

/** Occurrences of an incident in a minute. */
export interface MinuteCount {
  incidentId: string;
  minute: number;
  occurrences: number;
  /** Those of them that were not sent but reported. */
  suppressed: number;
}

/** Adds to minute counts. Those of these incidents that no rule needs any longer become counts of hours. */
export function addMinutes(
  transaction: Transaction,
  counts: readonly MinuteCount[],
  oldestMinute: number,
): void {
  if (counts.length === 0) return;
  transaction.send(
    sql('minutes-add')`
        with given as (
          select * from unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[])
            as c (incident_id, minute, occurrences, suppressed)
        ), dropped as (
          delete from incident_minutes where incident_id = any ($1::uuid[]) and minute < $5
          returning incident_id, minute, occurrences, suppressed
        ), kept as (
          insert into incident_hours as h (incident_id, hour, occurrences, suppressed)
          select incident_id, minute / 60 as hour, least(sum(occurrences), ${OCCURRENCES_MAX}),
            least(sum(suppressed), ${OCCURRENCES_MAX})
          from (select * from dropped union all select * from given where minute < $5) old
          group by 1, 2 order by 1, 2
          on conflict (incident_id, hour) do update set
            occurrences = least(h.occurrences::bigint + excluded.occurrences, ${OCCURRENCES_MAX})::integer,
            suppressed = least(h.suppressed::bigint + excluded.suppressed, ${OCCURRENCES_MAX})::integer
        )
        insert into incident_minutes as m (incident_id, minute, occurrences, suppressed)
        select * from given where minute >= $5
        on conflict (incident_id, minute) do update set
          occurrences = least(m.occurrences::bigint + excluded.occurrences, ${OCCURRENCES_MAX})::integer,
          suppressed = least(m.suppressed::bigint + excluded.suppressed, ${OCCURRENCES_MAX})::integer`,
    [
      binaryArray(
        'uuid',
        counts.map((count) => count.incidentId),
      ),
      binaryArray(
        'integer',
        counts.map((count) => count.minute),
      ),
      binaryArray(
        'integer',
        counts.map((count) => Math.min(count.occurrences, OCCURRENCES_MAX)),
      ),
      binaryArray(
        'integer',
        counts.map((count) => Math.min(count.suppressed, OCCURRENCES_MAX)),
      ),
      oldestMinute,
    ],
  );
}

/** A kept occurrence and the place of its bytes. */
export interface StoredSample {
  incidentId: string;
  /** The place among the seven samples of its incident. */
  place: number;
  eventId: string;
  effectiveAtMs: number;
  receivedAtMs: number;
  severity: number;
  richness: number;
  roles: SampleRole[];
  isOriginBound: boolean;
  batchId: string;
  frameOffset: number;
  frameLength: number;
  recordOffset: number;
}

interface SampleRow {
  incident_id: string;
  place: number;
  event_id: string;
  effective_at: number;
  received_at: number;
  severity: number;
  richness: number;
  roles: SampleRole[];
  is_origin_bound: boolean;
  batch_id: string;
  frame_offset: number;
  frame_length: number;
  record_offset: number;
}

/** The samples of incidents, in the order of their ids. */
export async function readSamples(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<StoredSample[]> {
  if (incidentIds.length === 0) return [];
  const rows = await database.query<SampleRow>(
    sql(
      'samples-read',
    )`select * from incident_samples where incident_id = any ($1::uuid[]) order by incident_id, event_id`,
    [binaryArray('uuid', incidentIds)],
  );
  return rows.map((row) => ({
    incidentId: row.incident_id,
    place: row.place,
    eventId: row.event_id,
    effectiveAtMs: row.effective_at,
    receivedAtMs: row.received_at,
    severity: row.severity,
    richness: row.richness,
    roles: row.roles,
    isOriginBound: row.is_origin_bound,
    batchId: row.batch_id,
    frameOffset: row.frame_offset,
    frameLength: row.frame_length,
    recordOffset: row.record_offset,
  }));
}

/** Samples by what becomes of their rows. */
export interface SampleChanges {
  removed: StoredSample[];
  added: StoredSample[];
  /** Their places have rows. */
  changed: StoredSample[];
}

/** Writes samples that are new or changed, and removes rows that nothing takes. */
export function writeSamples(transaction: Transaction, { removed, added, changed }: SampleChanges): void {
  if (removed.length > 0) {
    transaction.send(
      sql(
        'samples-remove',
      )`delete from incident_samples s using unnest($1::uuid[], $2::smallint[]) as r (incident_id, place)
          where s.incident_id = r.incident_id and s.place = r.place`,
      [removed.map((each) => each.incidentId), removed.map((each) => each.place)],
    );
  }
  if (changed.length > 0)
    transaction.send(CHANGE_SAMPLES, columnLiterals(SAMPLE_COLUMNS, changed.map(columnsOf)));
  if (added.length > 0) transaction.send(ADD_SAMPLES, columnLiterals(SAMPLE_COLUMNS, added.map(columnsOf)));
}

const SAMPLE_COLUMNS = [
  ['incident_id', 'uuid'],
  ['place', 'smallint'],
  ['event_id', 'text'],
  ['effective_at', 'timestamptz'],
  ['received_at', 'timestamptz'],
  ['severity', 'smallint'],
  ['richness', 'smallint'],
  // Joined by commas: lists of different length fit into no array.
  ['roles', 'text'],
  ['is_origin_bound', 'boolean'],
  ['batch_id', 'uuid'],
  ['frame_offset', 'integer'],
  ['frame_length', 'integer'],
  ['record_offset', 'integer'],
] as const;

function columnsOf(sample: StoredSample) {
  return {
    incident_id: sample.incidentId,
    place: sample.place,
    event_id: sample.eventId,
    effective_at: sample.effectiveAtMs,
    received_at: sample.receivedAtMs,
    severity: sample.severity,
    richness: sample.richness,
    roles: sample.roles.join(),
    is_origin_bound: sample.isOriginBound,
    batch_id: sample.batchId,
    frame_offset: sample.frameOffset,
    frame_length: sample.frameLength,
    record_offset: sample.recordOffset,
  };
}

/** The columns of a sample except its key, and below their values from `s`. */
const MOVED_COLUMNS = SAMPLE_COLUMNS.map(([column]) => column).filter(
  (column) => column !== 'incident_id' && column !== 'place',
);
const MOVED_VALUES = MOVED_COLUMNS.map((column) =>
  column === 'roles' ? "string_to_array(s.roles, ',')" : `s.${column}`,
).join(', ');

const CHANGE_SAMPLES = sql(
  'samples-change',
)`update incident_samples o set (${MOVED_COLUMNS.join(', ')}) = row (${MOVED_VALUES})
    from ${unnestColumns(SAMPLE_COLUMNS, 1, 's')}
    where o.incident_id = s.incident_id and o.place = s.place`;

const ADD_SAMPLES = sql(
  'samples-add',
)`insert into incident_samples (incident_id, place, ${MOVED_COLUMNS.join(', ')})
    select s.incident_id, s.place, ${MOVED_VALUES} from ${unnestColumns(SAMPLE_COLUMNS, 1, 's')}`;

/**
 * One row of the events table, in the order of its columns: times in milliseconds since the epoch, hashes by which it is
 * found as keys of its hour.
 */
export interface EventRow {
  service_id: string;
  incident_id: string | null;
  batch_id: string;
  occurred_at: number;
  received_at: number;
  frame_offset: number;
  frame_length: number;
  record_offset: number;
  library: number;
  event_type: number;
  event_class: number;
  level: number;
  is_counted: boolean;
  event_id: string;
  trace_hash: bigint | null;
  request_hash: bigint | null;
  session_hash: bigint | null;
  /** A key under which its library may report repeats of it, where no other row has it. */
  report_key: bigint | null;
  /** The key of the id that its client gave it (`eventIdKey`). */
  id_hash: bigint | null;
  /** The first 64 bits of the fingerprint under which an incident counts it, and 0 if none does; null without an id. */
  signal_key: bigint | null;
}

export function insertEventRows(
  transaction: Transaction,
  projectId: string,
  rows: readonly EventRow[],
): void {
  if (rows.length === 0) return;
  transaction.send(INSERT_EVENTS, [projectId, ...columnLiterals(EVENT_COLUMNS, rows)]);
  noteContext(transaction, projectId, new Set(rows.map((row) => row.event_type)));
}

const EVENT_COLUMNS = [
  ['service_id', 'uuid'],
  ['incident_id', 'uuid'],
  ['batch_id', 'uuid'],
  ['occurred_at', 'timestamptz'],
  ['received_at', 'timestamptz'],
  ['frame_offset', 'integer'],
  ['frame_length', 'integer'],
  ['record_offset', 'integer'],
  ['library', 'integer'],
  ['event_type', 'smallint'],
  ['event_class', 'smallint'],
  ['level', 'smallint'],
  ['is_counted', 'boolean'],
  ['event_id', 'text'],
  ['trace_hash', 'bigint'],
  ['request_hash', 'bigint'],
  ['session_hash', 'bigint'],
  ['report_key', 'bigint'],
  ['id_hash', 'bigint'],
  ['signal_key', 'bigint'],
] as const satisfies readonly (readonly [keyof EventRow, string])[];

const INSERT_EVENTS = sql(
  'events-insert',
)`insert into events (project_id, ${EVENT_COLUMNS.map(([column]) => column).join(', ')})
    select $1, e.* from ${unnestColumns(EVENT_COLUMNS, 2, 'e')}`;

/** Makes the day partition of a receive time. Runs on its own, before the processing transaction. */
export async function ensureEventPartition(database: Queryable, receivedAtMs: number): Promise<void> {
  await database.query(sql('events-partition')`select ensure_event_partition($1::date)`, [
    new Date(receivedAtMs).toISOString().slice(0, 10),
  ]);
}
