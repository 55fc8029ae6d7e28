import type { MapReason } from '@culprit/contract/releases/map-words';
import type { MapWait } from '@culprit/evidence/events/fingerprint/stack/mapped-frames';
import { type BulkColumn, columnLiterals, unnestColumns } from '../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { baseHash } from '../map-keys.ts';
import { LATE_MAPS_LANE, MAP_LATE } from '../maps.jobs.ts';

/** Statements on incidents that wait for maps. */

/** Waits of an incident, and of a project; those of browsers are at most half of the latter. */
const WAITS_OF_INCIDENT_MAX = 20;
const WAITS_OF_PROJECT_MAX = 50_000;

/** Queues the incidents that wait for maps: immediately, and again for events whose transaction had begun. */
export async function queueLateMaps(transaction: Transaction, projectId: string): Promise<void> {
  await transaction.query(QUEUE_LATE, [projectId]);
}

const QUEUE_LATE = sql('maps-late-queue')`with runs (key, run_at) as (
      values ($1::text || ' now', culprit_now()), ($1::text || ' later', culprit_now() + interval '60 seconds')
    ), queued as (
      ${enqueue({
        job: { lane: LATE_MAPS_LANE, kind: MAP_LATE },
        fairnessKey: '$1::uuid',
        key: 'runs.key',
        payload: `'{}'::jsonb`,
        runAt: 'runs.run_at',
        from: 'from runs',
        // A job that runs now may have read the maps before this one was stored.
        whenQueued: { update: 'set run_at = excluded.run_at, revision = j.revision + 1' },
      })}
    )
    ${WAKE_QUEUED}`;

/** A wait of an incident with the events that named it. */
export interface NewWait extends MapWait {
  incidentId: string;
  serviceName: string;
  isBrowser: boolean;
  events: number;
  firstSeenAtMs: number;
  lastSeenAtMs: number;
}

const COLUMNS = [
  ['found_by', 'text'],
  ['key', 'text'],
  ['base_hash', 'bigint'],
  ['incident_id', 'uuid'],
  ['file', 'text'],
  ['reason', 'text'],
  ['service_name', 'text'],
  ['is_browser', 'boolean'],
  ['events', 'bigint'],
  ['first_seen_at', 'timestamptz'],
  ['last_seen_at', 'timestamptz'],
] as const satisfies readonly BulkColumn[];

/** Adds to what incidents wait for, within its bounds; those seen longest ago make room. */
export function addWaits(transaction: Transaction, projectId: string, waits: readonly NewWait[]): void {
  if (waits.length === 0) return;
  const rows = waits.map((wait) => ({
    found_by: wait.foundBy,
    key: wait.key,
    base_hash: hashOf(wait),
    incident_id: wait.incidentId,
    file: wait.file,
    reason: wait.reason,
    service_name: wait.serviceName,
    is_browser: wait.isBrowser,
    events: wait.events,
    first_seen_at: new Date(wait.firstSeenAtMs).toISOString(),
    last_seen_at: new Date(wait.lastSeenAtMs).toISOString(),
  }));
  transaction.send(
    sql(
      'map-waits-add',
    )`insert into map_waits as w (project_id, found_by, key, base_hash, incident_id, file, reason, service_name,
          is_browser, events, first_seen_at, last_seen_at)
        select $1, ${COLUMNS.map(([column]) => `u.${column}`).join(', ')}
        from (
          select u.*, k.is_known,
            row_number() over (partition by u.incident_id, k.is_known order by u.last_seen_at desc) as place
          from ${unnestColumns(COLUMNS, 2, 'u')}
          cross join lateral (
            select exists (select from map_waits o where o.project_id = $1 and o.found_by = u.found_by and o.key = u.key
              and o.base_hash = u.base_hash and o.incident_id = u.incident_id) as is_known) k
        ) u
        where u.is_known or u.place <= ${WAITS_OF_INCIDENT_MAX}
        order by u.found_by, u.key, u.base_hash, u.incident_id
        on conflict (project_id, found_by, key, base_hash, incident_id) do update set
          events = w.events + excluded.events, reason = excluded.reason,
          first_seen_at = least(w.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(w.last_seen_at, excluded.last_seen_at)`,
    [projectId, ...columnLiterals(COLUMNS, rows)],
  );
  transaction.send(TRIM_INCIDENTS, [projectId, [...new Set(waits.map(({ incidentId }) => incidentId))]]);
  transaction.send(TRIM, [projectId]);
}

/** The transaction holds the incidents, so that no other transaction adds to them or trims them at the same time. */
const TRIM_INCIDENTS = sql('map-waits-trim-incidents')`delete from map_waits where ctid = any (array(
      select ctid from (
        select ctid, row_number() over (partition by incident_id order by last_seen_at desc, found_by, key) as place
        from map_waits where project_id = $1 and incident_id = any ($2::uuid[])
      ) ranked where place > ${WAITS_OF_INCIDENT_MAX}))`;

const TRIM = sql('map-waits-trim')`delete from map_waits where ctid = any (array(
      select ctid from (
        select ctid, is_browser, row_number() over (order by last_seen_at desc) as place,
          row_number() over (partition by is_browser order by last_seen_at desc) as own_place
        from map_waits where project_id = $1
          and exists (select from map_waits where project_id = $1 offset ${WAITS_OF_PROJECT_MAX / 2})
      ) ranked where place > ${WAITS_OF_PROJECT_MAX} or (is_browser and own_place > ${WAITS_OF_PROJECT_MAX / 2})
      limit 5000))`;

function hashOf({ foundBy, file }: MapWait): bigint {
  return foundBy === 'id' ? 0n : baseHash(file);
}

/** The end of a page of missing maps. */
export interface MissingPlace {
  events: number;
  foundBy: 'id' | 'file';
  key: string;
  hash: string;
}

interface MissingRow extends MissingPlace {
  file: string;
  reason: MapReason;
  incidents: number;
  firstSeenAtMs: number;
  lastSeenAtMs: number;
  serviceName: string | null;
}

/** Returns the maps for which incidents wait, those of most events first. */
export async function findMissing(
  database: Queryable,
  projectId: string,
  after: MissingPlace | null,
  limit: number,
): Promise<MissingRow[]> {
  return await database.query<MissingRow>(
    sql('map-waits-missing')`select found_by as "foundBy", key, hash, file, reason, events, incidents,
          first_seen_at as "firstSeenAtMs", last_seen_at as "lastSeenAtMs", service_name as "serviceName"
        from (
          select found_by, key, base_hash::text as hash, max(file) as file, max(reason) as reason, sum(events)::bigint as events,
            count(*) as incidents, min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at,
            max(service_name) as service_name
          from map_waits where project_id = $1 group by found_by, key, base_hash) m
        where $2::bigint is null or (-events, found_by, key, hash) > (-$2::bigint, $3, $4, $5)
        order by -events, found_by, key, hash limit $6`,
    [
      projectId,
      after?.events ?? null,
      after?.foundBy ?? null,
      after?.key ?? null,
      after?.hash ?? null,
      limit,
    ],
  );
}
