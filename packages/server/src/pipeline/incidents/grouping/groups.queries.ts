import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { Group, GroupKey, Regrouped } from './regroup.ts';

/** The person or the cause that merges incidents. */
export type MergedBy =
  | { userId: string | null; regroupingId?: string }
  | { slot: string; isBrowser: boolean }
  /** Source maps that came after the events. */
  | { isByMaps: true };

/**
 * Leads the keys of merged incidents to another one: their own keys, and those that led to them. Of an incident that
 * was merged elsewhere before, the own key is led anew.
 * @param activeIds those of the merged that were active
 */
export async function leadKeysTo(
  transaction: Transaction,
  merge: { into: string; mergedIds: readonly string[]; activeIds: readonly string[]; by: MergedBy },
): Promise<void> {
  const { into, mergedIds, activeIds, by } = merge;
  const isByBrowser = 'slot' in by && by.isBrowser;
  await transaction.query(
    sql(
      'aliases-move',
    )`update incident_aliases set incident_id = $1, from_incident_id = coalesce(from_incident_id, incident_id),
          is_browser = is_browser or $3
        where incident_id = any ($2::uuid[])`,
    [into, [...mergedIds], isByBrowser],
  );
  await transaction.query(
    sql(
      'aliases-merge',
    )`insert into incident_aliases (service_id, fingerprint_version, fingerprint, project_id, incident_id,
          origin, created_at, from_incident_id, merged_into, user_id, slot, is_browser, was_active, regrouping_id)
        select service_id, fingerprint_version, fingerprint, project_id, $1, $3, culprit_now(), incident_id, $1, $4,
          decode($5, 'hex'), $6, incident_id = any ($7::uuid[]), $8::uuid
        from incidents where incident_id = any ($2::uuid[])
        on conflict (service_id, fingerprint_version, fingerprint) do update set incident_id = excluded.incident_id,
          origin = excluded.origin, from_incident_id = excluded.from_incident_id, merged_into = excluded.merged_into,
          user_id = excluded.user_id, slot = excluded.slot, is_browser = excluded.is_browser,
          was_active = excluded.was_active, regrouping_id = excluded.regrouping_id`,
    [
      into,
      [...mergedIds],
      'slot' in by ? 'slot' : 'merge',
      'userId' in by ? by.userId : null,
      'slot' in by ? by.slot : null,
      isByBrowser,
      [...activeIds],
      'userId' in by ? (by.regroupingId ?? null) : null,
    ],
  );
  // A key that leads an incident to itself would be one too many.
  await transaction.query(
    sql('aliases-own')`delete from incident_aliases a using incidents i
        where i.incident_id = $1 and a.service_id = i.service_id and a.fingerprint_version = i.fingerprint_version
          and a.fingerprint = i.fingerprint`,
    [into],
  );
}

/** Everything that was merged into an incident, and the slots that lead to it. */
export async function readGroup(transaction: Transaction, rootId: string): Promise<Group> {
  const keys = await transaction.query<GroupKey>(
    sql(
      'group-keys',
    )`select fingerprint_version || ' ' || encode(fingerprint, 'hex') as key, origin, encode(slot, 'hex') as slot,
          from_incident_id as "fromIncidentId", merged_into as "mergedInto", regrouping_id as "regroupingId"
        from incident_aliases where incident_id = $1`,
    [rootId],
  );
  const incidents = await transaction.query<Group['incidents'][number]>(
    sql(
      'group-incidents',
    )`select incident_id as "incidentId", fingerprint_version || ' ' || encode(fingerprint, 'hex') as key,
          first_seen_at as "firstSeenAtMs"
        from incidents where incident_id in (
          select $1::uuid union select from_incident_id from incident_aliases
          where incident_id = $1 and merged_into is not null)`,
    [rootId],
  );
  const slots = await transaction.query<{ slot: string; keys: string[] }>(
    sql('group-slots')`select encode(slot, 'hex') as slot,
          array(select 'v2 ' || encode(f, 'hex') from unnest(fingerprints) f) as keys
        from incident_slots where opened_at is not null and closed_at is null and incident_id in (
          select $1::uuid union select from_incident_id from incident_aliases where incident_id = $1)`,
    [rootId],
  );
  return { rootId, incidents, keys, slots };
}

/** Closes open slots of a service permanently. */
export async function closeSlots(
  transaction: Transaction,
  service: { projectId: string; serviceId: string },
  slots: readonly string[],
  userId: string,
): Promise<void> {
  await transaction.query(
    sql(
      'slots-close',
    )`update incident_slots set closed_at = culprit_now(), closed_by_user_id = $3, incident_id = null
        where project_id = $1 and service_id = $4 and opened_at is not null
          and slot = any (array(select decode(s, 'hex') from unnest($2::text[]) s))`,
    [service.projectId, [...slots], userId, service.serviceId],
  );
}

/**
 * Leads the keys and slots of one part of a group to the part's own incident.
 * @returns whether that incident was active when it was merged
 */
export async function leadPartTo(
  transaction: Transaction,
  groupId: string,
  { rootId, keys, slots }: Regrouped,
): Promise<boolean> {
  const texts = keys.map(({ key }) => key);
  const isOfPart = `incident_id = $1 and (fingerprint_version, fingerprint) in (
    select split_part(k, ' ', 1), decode(split_part(k, ' ', 2), 'hex') from unnest($2::text[]) k)`;
  // Without an incident the keys go, and the next event of one opens an incident.
  const gone = await transaction.query<{ was_active: boolean }>(
    sql('group-part-own')`delete from incident_aliases where ${isOfPart}
          and ($3::uuid is null or (from_incident_id = $3 and merged_into is not null))
        returning was_active`,
    [groupId, texts, rootId],
  );
  if (rootId !== null) {
    await transaction.query(
      sql(
        'group-part-keys',
      )`update incident_aliases set incident_id = $3, from_incident_id = nullif(from_incident_id, $3),
            is_browser = is_browser and origin = 'slot'
          where ${isOfPart}`,
      [groupId, texts, rootId],
    );
  }
  await transaction.query(
    sql('group-part-slots')`update incident_slots set incident_id = $2
        where opened_at is not null and closed_at is null
          and slot = any (array(select decode(s, 'hex') from unnest($1::text[]) s))
          and service_id = (select service_id from incidents where incident_id = $3)`,
    [slots, rootId, groupId],
  );
  return rootId !== null && gone.some((row) => row.was_active);
}
