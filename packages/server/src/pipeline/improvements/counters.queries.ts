import { arrayLiteral } from '../../platform/db/array-literal.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { PerSensitivity, WindowSums } from './detectors.ts';
import type { ObservedLocation } from './observation.ts';

/** Statements over the rolling counters, the attempts and the samples of improvements. */

/** The addition to one counter. Times are milliseconds since the epoch. */
export interface CounterAddition {
  improvementId: string;
  bucketAtMs: number;
  matches: PerSensitivity;
  severe: PerSensitivity;
  total: number;
  /** Effective times; null when nothing matched. */
  firstAtMs: number | null;
  lastAtMs: number | null;
  expiresAtMs: number;
}

/** Adds to counters. Returns how many of them are new, by improvement. */
export async function addToCounters(
  transaction: Transaction,
  projectId: string,
  additions: readonly CounterAddition[],
): Promise<ReadonlyMap<string, number>> {
  if (additions.length === 0) return new Map();
  const rows = await transaction.query<{ improvement_id: string; made: number }>(
    sql('improvement-counters-add')`
        with added as (
          insert into improvement_counters as c (improvement_id, bucket_at, project_id, at_high_confidence, at_balanced,
            at_verbose, severe_high_confidence, severe_balanced, severe_verbose, total, first_at, last_at, expires_at)
          select improvement_id, bucket_at, $1, at_high_confidence, at_balanced, at_verbose, severe_high_confidence,
            severe_balanced, severe_verbose, total, first_at, last_at, expires_at
          from json_to_recordset($2::json) as a (improvement_id uuid, bucket_at timestamptz, at_high_confidence integer,
            at_balanced integer, at_verbose integer, severe_high_confidence integer, severe_balanced integer,
            severe_verbose integer, total integer, first_at timestamptz, last_at timestamptz, expires_at timestamptz)
          on conflict (improvement_id, bucket_at) do update set
            at_high_confidence = c.at_high_confidence + excluded.at_high_confidence,
            at_balanced = c.at_balanced + excluded.at_balanced,
            at_verbose = c.at_verbose + excluded.at_verbose,
            severe_high_confidence = c.severe_high_confidence + excluded.severe_high_confidence,
            severe_balanced = c.severe_balanced + excluded.severe_balanced,
            severe_verbose = c.severe_verbose + excluded.severe_verbose,
            total = c.total + excluded.total,
            first_at = least(c.first_at, excluded.first_at),
            last_at = greatest(c.last_at, excluded.last_at)
          returning improvement_id, xmax = 0 as is_new
        )
        select improvement_id, count(*) as made from added where is_new group by improvement_id`,
    [
      projectId,
      JSON.stringify(
        additions.map((each) => ({
          improvement_id: each.improvementId,
          bucket_at: isoOf(each.bucketAtMs),
          at_high_confidence: each.matches.high_confidence,
          at_balanced: each.matches.balanced,
          at_verbose: each.matches.verbose,
          severe_high_confidence: each.severe.high_confidence,
          severe_balanced: each.severe.balanced,
          severe_verbose: each.severe.verbose,
          total: each.total,
          first_at: isoOf(each.firstAtMs),
          last_at: isoOf(each.lastAtMs),
          expires_at: isoOf(each.expiresAtMs),
        })),
      ),
    ],
  );
  return new Map(rows.map((row) => [row.improvement_id, row.made]));
}

/** The sums of improvements over the windows that begin at these moments, by improvement. */
export async function sumCounters(
  transaction: Transaction,
  windows: readonly { improvementId: string; fromMs: number }[],
): Promise<ReadonlyMap<string, WindowSums>> {
  if (windows.length === 0) return new Map();
  const rows = await transaction.query<
    {
      improvement_id: string;
      buckets: number;
      total: number;
      first_at: number | null;
      last_at: number | null;
    } & {
      [Column in `${'at' | 'severe'}_${keyof PerSensitivity}`]: number;
    }
  >(
    sql(
      'improvement-counters-sum',
    )`select c.improvement_id, sum(c.at_high_confidence) as at_high_confidence, sum(c.at_balanced) as at_balanced,
          sum(c.at_verbose) as at_verbose, sum(c.severe_high_confidence) as severe_high_confidence,
          sum(c.severe_balanced) as severe_balanced, sum(c.severe_verbose) as severe_verbose, sum(c.total) as total,
          count(*) filter (where c.at_verbose > 0) as buckets, min(c.first_at) as first_at, max(c.last_at) as last_at
        from unnest($1::uuid[], $2::timestamptz[]) as w (improvement_id, from_at)
        join improvement_counters c on c.improvement_id = w.improvement_id
          and coalesce(c.first_at, c.bucket_at) >= w.from_at
        group by c.improvement_id`,
    [
      arrayLiteral(windows.map(({ improvementId }) => improvementId)),
      arrayLiteral(windows.map(({ fromMs }) => new Date(fromMs).toISOString())),
    ],
  );
  return new Map(
    rows.map((row) => [
      row.improvement_id,
      {
        matches: {
          high_confidence: row.at_high_confidence,
          balanced: row.at_balanced,
          verbose: row.at_verbose,
        },
        severe: {
          high_confidence: row.severe_high_confidence,
          balanced: row.severe_balanced,
          verbose: row.severe_verbose,
        },
        total: row.total,
        buckets: row.buckets,
        firstAtMs: row.first_at,
        lastAtMs: row.last_at,
      },
    ]),
  );
}

/** The attempts of one correlation id. */
interface Attempts {
  improvementId: string;
  /** Text of the signed 64-bit hash. */
  correlation: string;
  /** Effective times. */
  atMs: readonly number[];
  largest: number;
}

/** Returns the known attempts of these correlation ids. */
export async function findAttempts(
  transaction: Transaction,
  wanted: readonly { improvementId: string; correlation: string }[],
): Promise<Attempts[]> {
  if (wanted.length === 0) return [];
  return await transaction.query<Attempts>(
    sql(
      'improvement-attempts-find',
    )`select a.improvement_id as "improvementId", a.correlation_hash::text as correlation,
          to_json(a.attempted_at_ms) as "atMs", a.largest
        from unnest($1::uuid[], $2::bigint[]) as w (improvement_id, correlation_hash)
        join improvement_attempts a using (improvement_id, correlation_hash)`,
    [
      arrayLiteral(wanted.map(({ improvementId }) => improvementId)),
      arrayLiteral(wanted.map(({ correlation }) => correlation)),
    ],
  );
}

/**
 * Writes attempts, and removes those of the project beyond a number: the smallest groups that are the nearest to their
 * end.
 */
export async function storeAttempts(
  transaction: Transaction,
  projectId: string,
  attempts: readonly (Attempts & { expiresAtMs: number })[],
  kept: number,
): Promise<void> {
  if (attempts.length === 0) return;
  await transaction.query(
    sql(
      'improvement-attempts-store',
    )`insert into improvement_attempts (improvement_id, correlation_hash, project_id, attempted_at_ms, largest,
          expires_at)
        select improvement_id, correlation::bigint, $1, at_ms, largest, expires_at
        from json_to_recordset($2::json) as a (improvement_id uuid, correlation text, at_ms bigint[],
          largest smallint, expires_at timestamptz)
        on conflict (improvement_id, correlation_hash) do update set attempted_at_ms = excluded.attempted_at_ms,
          largest = excluded.largest, expires_at = excluded.expires_at`,
    [
      projectId,
      JSON.stringify(
        attempts.map((each) => ({
          improvement_id: each.improvementId,
          correlation: each.correlation,
          at_ms: each.atMs,
          largest: each.largest,
          expires_at: isoOf(each.expiresAtMs),
        })),
      ),
    ],
  );
  await transaction.query(
    {
      name: 'improvement-attempts-drop',
      // Rows that others hold are not waited for: they may wait for what is held here.
      text: `
        with excess as (
          select improvement_id, correlation_hash from improvement_attempts where project_id = $1
          order by largest desc, expires_at desc offset $2
        ), held as (
          select improvement_id, correlation_hash
          from improvement_attempts join excess using (improvement_id, correlation_hash)
          for update of improvement_attempts skip locked
        )
        delete from improvement_attempts a using held
        where a.improvement_id = held.improvement_id and a.correlation_hash = held.correlation_hash`,
    },
    [projectId, kept],
  );
}

/** Remembers the observations a document is made of: the latest one, and the one that weighs most. */
export async function keepImprovementSamples(
  transaction: Transaction,
  projectId: string,
  samples: readonly { improvementId: string; role: 'latest' | 'heaviest'; place: ObservedLocation }[],
): Promise<void> {
  if (samples.length === 0) return;
  await transaction.query(
    {
      name: 'improvement-samples-keep',
      // The bytes of a heavy one go after a time; it makes room before.
      text: `insert into improvement_samples as s (improvement_id, role, project_id, event_id, effective_at, received_at,
          weight, batch_id, frame_offset, frame_length, record_offset)
        select improvement_id, role, $1, event_id, effective_at, received_at, weight, batch_id, frame_offset,
          frame_length, record_offset
        from json_to_recordset($2::json) as n (improvement_id uuid, role text, event_id text, effective_at timestamptz,
          received_at timestamptz, weight float8, batch_id uuid, frame_offset integer, frame_length integer,
          record_offset integer)
        on conflict (improvement_id, role) do update set event_id = excluded.event_id,
          effective_at = excluded.effective_at, received_at = excluded.received_at, weight = excluded.weight,
          batch_id = excluded.batch_id, frame_offset = excluded.frame_offset, frame_length = excluded.frame_length,
          record_offset = excluded.record_offset
        where case excluded.role
          when 'latest' then excluded.effective_at >= s.effective_at
          else excluded.weight > s.weight or s.received_at < excluded.received_at - interval '3 days' end`,
    },
    [
      projectId,
      JSON.stringify(
        samples.map(({ improvementId, role, place }) => ({
          improvement_id: improvementId,
          role,
          event_id: place.eventId,
          effective_at: isoOf(place.effectiveAtMs),
          received_at: isoOf(place.receivedAtMs),
          weight: place.weight,
          batch_id: place.batchId,
          frame_offset: place.frameOffset,
          frame_length: place.frameLength,
          record_offset: place.recordOffset,
        })),
      ),
    ],
  );
}

function isoOf(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
