import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { BROWSER_SOURCE } from '@culprit/evidence/incidents/source-trust';
import { arrayLiteral } from '../../../platform/db/array-literal.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { IncidentAge, SlotKey } from './slot-groups.ts';

/** A slot that is open or permanently closed. */
interface DecidedSlot extends SlotKey {
  isClosed: boolean;
  words: string[];
  /** The one that its templates join, merges considered; null when it is gone. */
  incident: IncidentAge | null;
}

/** The open and closed ones of some slots. */
export async function findDecidedSlots(
  transaction: Transaction,
  projectId: string,
  places: readonly SlotKey[],
): Promise<DecidedSlot[]> {
  const rows = await transaction.query<{
    service_id: string;
    slot: string;
    is_closed: boolean;
    words: string[];
    incident_id: string | null;
    first_seen_at: number | null;
  }>(
    sql(
      'slots-decided',
    )`select s.service_id, encode(s.slot, 'hex') as slot, s.closed_at is not null as is_closed, s.words,
          t.incident_id, t.first_seen_at
        from unnest($2::uuid[], $3::text[]) as k (service_id, slot)
        join incident_slots s on s.project_id = $1 and s.service_id = k.service_id and s.slot = decode(k.slot, 'hex')
          and (s.opened_at is not null or s.closed_at is not null)
        left join incidents i on i.incident_id = s.incident_id
        left join incident_aliases a on a.service_id = i.service_id
          and a.fingerprint_version = i.fingerprint_version and a.fingerprint = i.fingerprint
        left join incidents t on t.incident_id = coalesce(a.incident_id, i.incident_id)
          and (not s.is_browser or t.sources = ${BROWSER_SOURCE})`,
    [
      projectId,
      arrayLiteral(places.map(({ serviceId }) => serviceId)),
      arrayLiteral(places.map(({ slot }) => slot)),
    ],
  );
  return rows.map((row) => ({
    serviceId: row.service_id,
    slot: row.slot,
    isClosed: row.is_closed,
    words: row.words,
    incident:
      row.incident_id === null || row.first_seen_at === null
        ? null
        : { incidentId: row.incident_id, firstSeenAtMs: row.first_seen_at },
  }));
}

/** One word that was seen in the place of a slot, and the key of its template. */
export interface RecordedErrorCode {
  /** Empty for a value. */
  word: string;
  fingerprint: string;
}

/** The words that a transaction saw for a slot that is not open yet. */
export interface NewWords extends SlotKey {
  isBrowser: boolean;
  pattern: string;
  words: readonly RecordedErrorCode[];
}

/** Words that the row of a slot keeps: enough to open it and to explain it. */
const WORDS_KEPT_MAX = 12;

/**
 * Adds words to slots that are neither open nor closed.
 * @returns all words of these slots, in the order in which they were first seen
 */
export async function recordWords(
  transaction: Transaction,
  projectId: string,
  slots: readonly NewWords[],
): Promise<(SlotKey & { words: RecordedErrorCode[] })[]> {
  if (slots.length === 0) return [];
  const rows = await transaction.query<{
    service_id: string;
    slot: string;
    words: string[];
    fingerprints: string[];
  }>(
    sql('slots-note')`
        with seen as (
          select k.service_id, decode(k.slot, 'hex') as slot, k.is_browser, k.pattern,
            array(select w->>0 from json_array_elements(k.words::json) with ordinality e (w, n) order by n) as words,
            array(select decode(w->>1, 'hex') from json_array_elements(k.words::json) with ordinality e (w, n) order by n)
              as fingerprints
          from unnest($2::uuid[], $3::text[], $4::boolean[], $5::text[], $6::text[])
            as k (service_id, slot, is_browser, pattern, words)
        ), noted as (
          insert into incident_slots as s (project_id, service_id, slot, is_browser, words, fingerprints, noted_at, pattern)
          select $1, service_id, slot, is_browser, words, fingerprints, culprit_now(), pattern from seen
          order by service_id, slot
          on conflict (project_id, service_id, slot) do update set
            words = s.words || array(
              select w from unnest(excluded.words) with ordinality u (w, n) where w <> all (s.words) order by n
              limit greatest(0, $7 - cardinality(s.words))),
            fingerprints = s.fingerprints || array(
              select excluded.fingerprints[n] from unnest(excluded.words) with ordinality u (w, n)
              where w <> all (s.words) order by n limit greatest(0, $7 - cardinality(s.words))),
            noted_at = excluded.noted_at
            where s.opened_at is null and s.closed_at is null
          returning service_id, slot, words, fingerprints
        )
        select service_id, encode(slot, 'hex') as slot, words,
          array(select encode(f, 'hex') from unnest(fingerprints) with ordinality u (f, n) order by n) as fingerprints
        from noted`,
    [
      projectId,
      arrayLiteral(slots.map(({ serviceId }) => serviceId)),
      arrayLiteral(slots.map(({ slot }) => slot)),
      arrayLiteral(slots.map(({ isBrowser }) => isBrowser)),
      arrayLiteral(slots.map(({ pattern }) => pattern)),
      arrayLiteral(
        slots.map(({ words }) => JSON.stringify(words.map(({ word, fingerprint }) => [word, fingerprint]))),
      ),
      WORDS_KEPT_MAX,
    ],
  );
  return rows.map((row) => ({
    serviceId: row.service_id,
    slot: row.slot,
    words: row.words.map((word, index) => ({ word, fingerprint: row.fingerprints[index] ?? '' })),
  }));
}

/** Keys that a slot notes besides those that opened it. */
const BRIDGES_MAX = 64;

/** Notes keys that connect an open slot to another one, so that the rest can be determined when one is closed. */
export async function recordBridges(
  transaction: Transaction,
  projectId: string,
  bridges: readonly (SlotKey & { fingerprint: string })[],
): Promise<void> {
  if (bridges.length === 0) return;
  await transaction.query(
    sql('slots-bridge')`update incident_slots s set fingerprints = s.fingerprints || b.keys
        from (
          select k.service_id, decode(k.slot, 'hex') as slot, array_agg(distinct decode(k.fingerprint, 'hex')) as keys
          from unnest($2::uuid[], $3::text[], $4::text[]) as k (service_id, slot, fingerprint) group by 1, 2
        ) b
        where s.project_id = $1 and s.service_id = b.service_id and s.slot = b.slot
          and not s.fingerprints @> b.keys and cardinality(s.fingerprints) < ${BRIDGES_MAX}`,
    [
      projectId,
      arrayLiteral(bridges.map(({ serviceId }) => serviceId)),
      arrayLiteral(bridges.map(({ slot }) => slot)),
      arrayLiteral(bridges.map(({ fingerprint }) => fingerprint)),
    ],
  );
}

/** Notes ends of names in open slots, of which the newest are kept: releases that are long gone bring none. */
export async function recordEnds(
  transaction: Transaction,
  projectId: string,
  ends: readonly (SlotKey & { word: string })[],
): Promise<void> {
  if (ends.length === 0) return;
  await transaction.query(
    sql('slots-ends')`update incident_slots s set noted_at = culprit_now(),
          words = (s.words || e.words)[greatest(1, cardinality(s.words || e.words) - ${WORDS_KEPT_MAX - 1}):]
        from (
          select k.service_id, decode(k.slot, 'hex') as slot, array_agg(k.word order by k.n) as words
          from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality as k (service_id, slot, word, n) group by 1, 2
        ) e
        where s.project_id = $1 and s.service_id = e.service_id and s.slot = e.slot`,
    [
      projectId,
      arrayLiteral(ends.map(({ serviceId }) => serviceId)),
      arrayLiteral(ends.map(({ slot }) => slot)),
      arrayLiteral(ends.map(({ word }) => word)),
    ],
  );
}

/** The releases in which the incidents of keys were seen, by fingerprint. */
export async function findReleasesOfKeys(
  transaction: Transaction,
  projectId: string,
  { serviceId, fingerprints }: { serviceId: string; fingerprints: readonly string[] },
): Promise<Map<string, string[]>> {
  const rows = await transaction.query<{ fingerprint: string; releases: string[] }>(
    sql('slots-releases')`select k.fingerprint,
          array_remove(array[i.first_release, i.last_release], null) || coalesce(s.releases, '{}') as releases
        from unnest($3::text[]) as k (fingerprint)
        join incidents i on i.service_id = $2 and i.fingerprint_version = '${FINGERPRINT_VERSION}'
          and i.fingerprint = decode(k.fingerprint, 'hex')
        left join incident_search s on s.project_id = $1 and s.incident_id = i.incident_id`,
    [projectId, serviceId, arrayLiteral(fingerprints)],
  );
  return new Map(rows.map(({ fingerprint, releases }) => [fingerprint, releases]));
}

/** A key as one kind of sender has it. */
export interface SlotMember {
  serviceId: string;
  fingerprint: string;
  isBrowser: boolean;
}

/**
 * Returns the incidents of keys, merges considered, by `memberText`. For keys that browsers sent only those that only
 * browsers fed.
 */
export async function findSlotMembers(
  transaction: Transaction,
  members: readonly SlotMember[],
): Promise<Map<string, IncidentAge>> {
  const rows = await transaction.query<{ n: number; incident_id: string; first_seen_at: number }>(
    sql('slots-members')`select k.n::integer as n, t.incident_id, t.first_seen_at
        from unnest($1::uuid[], $2::text[], $3::boolean[]) with ordinality as k (service_id, fingerprint, is_browser, n)
        left join incident_aliases a on a.service_id = k.service_id and a.fingerprint_version = '${FINGERPRINT_VERSION}'
          and a.fingerprint = decode(k.fingerprint, 'hex') and (not a.is_browser or k.is_browser)
        left join incidents i on i.service_id = k.service_id and i.fingerprint_version = '${FINGERPRINT_VERSION}'
          and i.fingerprint = decode(k.fingerprint, 'hex')
        join incidents t on t.incident_id = coalesce(a.incident_id, i.incident_id)
          and (not k.is_browser or t.sources = ${BROWSER_SOURCE})`,
    [
      arrayLiteral(members.map(({ serviceId }) => serviceId)),
      arrayLiteral(members.map(({ fingerprint }) => fingerprint)),
      arrayLiteral(members.map(({ isBrowser }) => isBrowser)),
    ],
  );
  const found = new Map<string, IncidentAge>();
  for (const { n, incident_id, first_seen_at } of rows) {
    const member = members[n - 1];
    if (member === undefined) continue;
    found.set(memberText(member), { incidentId: incident_id, firstSeenAtMs: first_seen_at });
  }
  return found;
}

/** One text for a key of one kind of sender. */
export function memberText({ serviceId, fingerprint, isBrowser }: SlotMember): string {
  return `${serviceId} ${fingerprint} ${isBrowser}`;
}

/** Returns how many slots of a service are open, those of browsers separately. */
export async function countOpenSlots(
  transaction: Transaction,
  projectId: string,
  serviceId: string,
): Promise<{ ofServers: number; ofBrowsers: number; ofBrowsersToday: number }> {
  const [row] = await transaction.query<{ of_servers: number; of_browsers: number; today: number }>(
    sql('slots-open-count')`select count(*) filter (where not is_browser) as of_servers,
          count(*) filter (where is_browser) as of_browsers,
          count(*) filter (where is_browser and opened_at > culprit_now() - interval '1 day') as today
        from incident_slots where project_id = $1 and service_id = $2 and opened_at is not null`,
    [projectId, serviceId],
  );
  return {
    ofServers: row?.of_servers ?? 0,
    ofBrowsers: row?.of_browsers ?? 0,
    ofBrowsersToday: row?.today ?? 0,
  };
}

export interface OpenedSlot extends SlotKey {
  openedByEventId: string;
  incidentId: string;
}

/** Opens slots, and leads those that are open to another incident. */
export async function openSlots(
  transaction: Transaction,
  projectId: string,
  slots: readonly OpenedSlot[],
): Promise<void> {
  if (slots.length === 0) return;
  await transaction.query(
    sql('slots-open')`update incident_slots s set opened_at = coalesce(s.opened_at, culprit_now()),
          opened_by_event_id = coalesce(s.opened_by_event_id, o.event_id), incident_id = o.incident_id
        from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as o (service_id, slot, event_id, incident_id)
        where s.project_id = $1 and s.service_id = o.service_id and s.slot = decode(o.slot, 'hex')
          and s.closed_at is null`,
    [
      projectId,
      arrayLiteral(slots.map(({ serviceId }) => serviceId)),
      arrayLiteral(slots.map(({ slot }) => slot)),
      arrayLiteral(slots.map(({ openedByEventId }) => openedByEventId)),
      arrayLiteral(slots.map(({ incidentId }) => incidentId)),
    ],
  );
}

/** A key that joins the incident of an open slot and has no separate one. */
interface SlotKeyRow extends SlotKey {
  fingerprint: string;
  isBrowser: boolean;
  incidentId: string;
}

/** Keys that the slots of one incident bring at most; those beyond are looked up anew with each event. */
const KEYS_OF_INCIDENT_MAX = 5000;

export async function insertSlotKeys(
  transaction: Transaction,
  projectId: string,
  keys: readonly SlotKeyRow[],
): Promise<void> {
  if (keys.length === 0) return;
  await transaction.query(
    sql(
      'incident-aliases-slot',
    )`insert into incident_aliases as a (service_id, fingerprint_version, fingerprint, project_id, incident_id,
          origin, created_at, slot, is_browser)
        select distinct on (k.service_id, k.fingerprint) k.service_id, '${FINGERPRINT_VERSION}', decode(k.fingerprint, 'hex'), $1,
          k.incident_id, 'slot', culprit_now(), decode(k.slot, 'hex'), k.is_browser
        from unnest($2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::uuid[])
          as k (service_id, slot, fingerprint, is_browser, incident_id)
        where (select count(*) from (select from incident_aliases c where c.incident_id = k.incident_id
          limit ${KEYS_OF_INCIDENT_MAX}) few) < ${KEYS_OF_INCIDENT_MAX}
        order by k.service_id, k.fingerprint, k.is_browser
        on conflict (service_id, fingerprint_version, fingerprint) do update
          set incident_id = excluded.incident_id, slot = excluded.slot, is_browser = false, from_incident_id = null,
            merged_into = null, was_active = false
          where a.is_browser and not excluded.is_browser`,
    [
      projectId,
      arrayLiteral(keys.map(({ serviceId }) => serviceId)),
      arrayLiteral(keys.map(({ slot }) => slot)),
      arrayLiteral(keys.map(({ fingerprint }) => fingerprint)),
      arrayLiteral(keys.map(({ isBrowser }) => isBrowser)),
      arrayLiteral(keys.map(({ incidentId }) => incidentId)),
    ],
  );
}

/**
 * Slots of a service; beyond these the ones go that are not decided and were not used for longest. Those of browsers are
 * counted apart, so that a flood of theirs takes none away that servers feed.
 */
const SLOTS_OF_SERVERS_MAX = 50_000;
const SLOTS_OF_BROWSERS_MAX = 10_000;
/** The number of slots that one call removes, so that the next new words need not check again. */
const SLOTS_REMOVED = 5000;

/** Keeps the slots of a service bounded that servers, or browsers, feed. */
export async function removeUnusedSlots(
  transaction: Transaction,
  projectId: string,
  { serviceId, isBrowser }: { serviceId: string; isBrowser: boolean },
): Promise<void> {
  await transaction.query(
    sql('slots-bound')`with many as (
          select from incident_slots where project_id = $1 and service_id = $2 and is_browser = $3
          offset $4 limit 1
        )
        delete from incident_slots where exists (select from many) and ctid = any (array(
          select ctid from incident_slots
          where project_id = $1 and service_id = $2 and is_browser = $3 and opened_at is null and closed_at is null
          order by noted_at limit ${SLOTS_REMOVED} for update skip locked))`,
    [projectId, serviceId, isBrowser, isBrowser ? SLOTS_OF_BROWSERS_MAX : SLOTS_OF_SERVERS_MAX],
  );
}
