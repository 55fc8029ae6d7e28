import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { type ReportKey, reportKeyText } from '@culprit/evidence/incidents/suppressed-report';
import { arrayLiteral } from '../../../platform/db/array-literal.ts';
import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { anyHour } from '../../stored-events/hour-keys.ts';

/** Statements that find the incidents whose repeats a client library suppressed (docs/contract/incidents.md 5.10). */

const KEY_COLUMNS = [
  ['service_id', 'uuid'],
  ['client_key', 'bigint'],
  ['incident_id', 'uuid'],
] as const;

const KEEP_KEYS = {
  name: 'suppression-keys-keep',
  // A known key that was seen within a day is not written, so that a storm writes and locks nothing here.
  text: `insert into suppression_keys as k (service_id, client_key, project_id, incident_id, seen_at)
    select n.service_id, n.client_key, $1, n.incident_id, culprit_now() from ${unnestColumns(KEY_COLUMNS, 2, 'n')}
    where not exists (select from suppression_keys o where o.service_id = n.service_id
      and o.client_key = n.client_key and o.incident_id = n.incident_id
      and o.seen_at >= (select culprit_now()) - interval '1 day')
    order by n.service_id, n.client_key
    on conflict (service_id, client_key) do update
      set incident_id = excluded.incident_id, seen_at = excluded.seen_at`,
};

/** Notes keys under which libraries may report repeats that no row of an event has; each key of a service at most once. */
export function keepSuppressionKeys(
  transaction: Transaction,
  projectId: string,
  keys: readonly ReportKey[],
): void {
  if (keys.length === 0) return;
  transaction.send(KEEP_KEYS, [
    projectId,
    ...columnLiterals(
      KEY_COLUMNS,
      keys.map((key) => ({
        service_id: key.serviceId,
        client_key: key.clientKey,
        incident_id: key.incidentId,
      })),
    ),
  ]);
}

/**
 * The incidents of keys, each by `reportKeyText`; those that no signal had are missing.
 * @param receivedFromMs receipt of the first signal whose key is known
 */
export async function findIncidentsByKey(
  transaction: Transaction,
  projectId: string,
  keys: readonly { serviceId: string; clientKey: bigint }[],
  receivedFromMs: number,
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await transaction.query<{ service_id: string; client_key: string; incident_id: string }>(
    sql('suppression-keys-find')`select distinct on (r.service_id, r.client_key)
          r.service_id, r.client_key::text as client_key, k.incident_id
        from unnest($2::uuid[], $3::bigint[]) as r (service_id, client_key)
        cross join lateral (
          (select e.incident_id, e.received_at as seen_at from events e
            where e.report_key = any (${anyHour('r.client_key')}) and e.service_id = r.service_id
              and e.project_id = $1 and e.received_at >= $4
            order by e.received_at desc limit 1)
          union all
          select o.incident_id, o.seen_at from suppression_keys o
          where o.service_id = r.service_id and o.client_key = r.client_key and o.project_id = $1
        ) k
        join incidents i on i.incident_id = k.incident_id
        order by r.service_id, r.client_key, k.seen_at desc`,
    [
      projectId,
      arrayLiteral(keys.map((key) => key.serviceId)),
      arrayLiteral(keys.map((key) => key.clientKey)),
      new Date(receivedFromMs),
    ],
  );
  return new Map(rows.map((row) => [reportKeyText(row.service_id, BigInt(row.client_key)), row.incident_id]));
}

/** A digest of a failure in an environment, and the incident of the server that has it. */
interface DigestedIncident {
  digest: string;
  environment: string;
  incidentId: string;
}

/**
 * The incidents of digests, whichever service of the environment kept them as its own; of several the latest.
 * @param receivedFromMs receipt of the first signal whose digest is known
 */
export async function findIncidentsByDigest(
  transaction: Transaction,
  projectId: string,
  digests: readonly Omit<DigestedIncident, 'incidentId'>[],
  receivedFromMs: number,
): Promise<DigestedIncident[]> {
  if (digests.length === 0) return [];
  const rows = await transaction.query<{ digest: string; environment: string; incident_id: string }>(
    sql(
      'digests-find',
    )`select distinct on (d.digest, d.environment) d.digest::text as digest, d.environment, k.incident_id
        from unnest($2::bigint[], $3::text[]) as d (digest, environment)
        cross join lateral (
          (select e.incident_id, e.received_at as seen_at from events e
            join services s on s.service_id = e.service_id and s.environment = d.environment
            where e.report_key = any (${anyHour('d.digest')}) and e.project_id = $1 and e.received_at >= $4
            order by e.received_at desc limit 1)
          union all
          select o.incident_id, o.seen_at from services s
          join suppression_keys o on o.service_id = s.service_id and o.client_key = d.digest
          where s.project_id = $1 and s.environment = d.environment
        ) k
        join incidents i on i.incident_id = k.incident_id
        order by d.digest, d.environment, k.seen_at desc`,
    [
      projectId,
      digests.map((each) => each.digest),
      digests.map((each) => each.environment),
      new Date(receivedFromMs),
    ],
  );
  return rows.map((row) => ({
    digest: row.digest,
    environment: row.environment,
    incidentId: row.incident_id,
  }));
}

/** An event that a report names, of which the client sent no repeats. */
export interface SampleEvent {
  serviceId: string;
  idHash: bigint;
}

/**
 * Returns the incidents that counted the named events, by `reportKeyText`: an incident of the report's own service, or
 * null for an event that no incident counted. Unknown events are missing.
 * @param receivedFromMs receipt of the first event that is known
 */
export async function findIncidentsOfEvents(
  transaction: Transaction,
  projectId: string,
  samples: readonly SampleEvent[],
  receivedFromMs: number,
): Promise<Map<string, string | null>> {
  if (samples.length === 0) return new Map();
  const rows = await transaction.query<{ service_id: string; id_hash: string; incident_id: string | null }>(
    sql('sample-incidents-find')`select s.service_id, s.id_hash::text as id_hash, i.incident_id
        from unnest($2::uuid[], $3::bigint[]) as s (service_id, id_hash)
        join known_event_ids e on e.project_id = $1 and e.id_hash = s.id_hash and e.received_at >= $4
        left join lateral (
          select incident_id from incidents i
          where i.service_id = s.service_id and i.fingerprint_version = '${FINGERPRINT_VERSION}' and e.signal_key <> 0
            and i.fingerprint between int8send(e.signal_key)
              and int8send(e.signal_key) || decode(repeat('ff', 24), 'hex')
          union all
          select a.incident_id from incident_aliases a join incidents using (incident_id)
          where a.service_id = s.service_id and a.fingerprint_version = '${FINGERPRINT_VERSION}' and e.signal_key <> 0
            and a.fingerprint between int8send(e.signal_key)
              and int8send(e.signal_key) || decode(repeat('ff', 24), 'hex')
          limit 1) i on true
        where e.signal_key = 0 or i.incident_id is not null`,
    [
      projectId,
      arrayLiteral(samples.map((sample) => sample.serviceId)),
      arrayLiteral(samples.map((sample) => sample.idHash)),
      new Date(receivedFromMs),
    ],
  );
  return new Map(rows.map((row) => [reportKeyText(row.service_id, BigInt(row.id_hash)), row.incident_id]));
}

/** A look for the one incident with a counted signal of a service and library in a span of effective times. */
export interface SpanSearch {
  serviceId: string;
  library: number;
  onlyExceptions: boolean;
  /** Code of the type of the repeats, null where the report names none. */
  eventType: number | null;
  fromMs: number;
  toMs: number;
}

/** The incidents that are considered for one span; if there are more, the intended one cannot be determined. */
const CONSIDERED_MAX = 1000;

const SEARCH_COLUMNS = [
  ['n', 'integer'],
  ['service_id', 'uuid'],
  ['library', 'integer'],
  ['only_exceptions', 'boolean'],
  ['event_type', 'smallint'],
  ['from_at', 'timestamptz'],
  ['to_at', 'timestamptz'],
] as const;

const FIND_BY_SPAN = {
  name: 'suppressed-incidents-find',
  // An event is received at most ten minutes before its effective time, which spares the days before.
  text: `select s.n, f.incident_id
    from ${unnestColumns(SEARCH_COLUMNS, 2, 's')}
    cross join lateral (
      select c.incident_id, c.considered > ${CONSIDERED_MAX} as is_crowded
      from (
        select r.*, count(*) over () as considered from (
          select i.incident_id, i.service_id, i.first_seen_at from incidents i
          where i.project_id = $1 and i.seen_step >= seen_step(s.from_at) and i.last_seen_at >= s.from_at
          order by i.seen_step desc, i.last_seen_at desc limit ${CONSIDERED_MAX + 1}
        ) r
      ) c
      where c.service_id = s.service_id and c.first_seen_at <= s.to_at and exists (
        select from events e where e.incident_id = c.incident_id and e.occurred_at between s.from_at and s.to_at
          and e.received_at >= s.from_at - interval '10 minutes' and e.library = s.library and e.is_counted
          and (not s.only_exceptions or e.event_type <= 1)
          and (s.event_type is null or e.event_type = s.event_type))
      limit 2
    ) f
    where not f.is_crowded`,
};

/** For each search the incidents that it found, two at most: a second one makes it ambiguous. */
export async function findIncidentsBySpan(
  transaction: Transaction,
  projectId: string,
  searches: readonly SpanSearch[],
): Promise<string[][]> {
  const found: string[][] = searches.map(() => []);
  if (searches.length === 0) return found;
  const rows = await transaction.query<{ n: number; incident_id: string }>(FIND_BY_SPAN, [
    projectId,
    ...columnLiterals(
      SEARCH_COLUMNS,
      searches.map((search, n) => ({
        n,
        service_id: search.serviceId,
        library: search.library,
        only_exceptions: search.onlyExceptions,
        event_type: search.eventType,
        from_at: new Date(search.fromMs).toISOString(),
        to_at: new Date(search.toMs).toISOString(),
      })),
    ),
  ]);
  for (const row of rows) found[row.n]?.push(row.incident_id);
  return found;
}
