import type { GroupingExplanation } from '@culprit/contract/incidents/grouping-explanation';
import type { Queryable } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/** A key under which an incident takes events. */
interface KeyRow {
  fingerprintVersion: string;
  fingerprint: string;
  origin: 'own' | 'merge' | 'slot' | 'regrouping' | 'mapped' | 'unmapped';
  /** The slot that brought it. */
  slot: string | null;
  sinceMs: number | null;
  fromIncidentId: string | null;
}

/** The rows that bring events to an incident; null when it was deleted. */
interface GroupingRows {
  explanation: GroupingExplanation;
  mergedInto: string | null;
  members: string[];
  keys: KeyRow[];
  slots: SlotRow[];
}

/** An open slot that leads to an incident. */
export interface SlotRow {
  slot: string;
  pattern: string;
  words: string[];
  isBrowser: boolean;
  openedAtMs: number;
  openedByEventId: string;
}

/** @param keysMax newest aliases that are shown */
export async function readGrouping(
  database: Queryable,
  incidentId: string,
  keysMax: number,
): Promise<GroupingRows | null> {
  const [own] = await database.query<
    {
      fingerprint_version: string;
      fingerprint: string;
      merged_into: string | null;
    } & GroupingExplanation
  >(
    sql(
      'grouping-own',
    )`select i.fingerprint_version, encode(i.fingerprint, 'hex') as fingerprint, i.matched_fields,
          i.readers, i.rule, a.incident_id as merged_into
        from incidents i
        left join incident_aliases a on a.service_id = i.service_id
          and a.fingerprint_version = i.fingerprint_version and a.fingerprint = i.fingerprint
        where i.incident_id = $1`,
    [incidentId],
  );
  if (own === undefined) return null;
  const aliases = await database.query<KeyRow>(
    sql(
      'grouping-aliases',
    )`select fingerprint_version as "fingerprintVersion", encode(fingerprint, 'hex') as fingerprint, origin,
          encode(slot, 'hex') as slot, created_at as "sinceMs", from_incident_id as "fromIncidentId"
        from incident_aliases where incident_id = $1
        order by created_at desc, fingerprint limit $2`,
    [incidentId, keysMax],
  );
  const members = await database.query<{ from_incident_id: string }>(
    sql('grouping-members')`select distinct from_incident_id from incident_aliases
        where incident_id = $1 and merged_into is not null order by from_incident_id limit $2`,
    [incidentId, keysMax],
  );
  const slots = await database.query<SlotRow>(
    sql('grouping-slots')`select encode(slot, 'hex') as slot, pattern, words, is_browser as "isBrowser",
          opened_at as "openedAtMs", opened_by_event_id as "openedByEventId"
        from incident_slots where opened_at is not null and closed_at is null and incident_id in (
          select $1::uuid union select from_incident_id from incident_aliases where incident_id = $1)
        order by opened_at desc, slot limit $2`,
    [incidentId, keysMax],
  );
  return {
    slots,
    explanation: { matched_fields: own.matched_fields, readers: own.readers, rule: own.rule },
    mergedInto: own.merged_into,
    members: members.map((row) => row.from_incident_id),
    keys: [
      {
        fingerprintVersion: own.fingerprint_version,
        fingerprint: own.fingerprint,
        origin: 'own',
        slot: null,
        sinceMs: null,
        fromIncidentId: null,
      },
      ...aliases,
    ],
  };
}

/** Returns the targets of merged incidents, by their ids; those that were not merged are missing. */
export async function findMergedInto(
  transaction: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await transaction.query<{ incident_id: string; merged_into: string }>(
    sql('grouping-merged-into')`select i.incident_id, a.incident_id as merged_into
        from incidents i join incident_aliases a on a.service_id = i.service_id
          and a.fingerprint_version = i.fingerprint_version and a.fingerprint = i.fingerprint
        where i.incident_id = any ($1::uuid[]) and a.merged_into is not null`,
    [[...incidentIds]],
  );
  return new Map(rows.map((row) => [row.incident_id, row.merged_into]));
}

/** Those of some ids that were merged into an incident. */
export const findMembers = inTransaction.many<
  [incidentId: string, asked: readonly string[]],
  { from_incident_id: string },
  string
>(
  'grouping-asked-members',
  `select distinct from_incident_id from incident_aliases
    where incident_id = $1 and merged_into is not null and from_incident_id = any ($2::uuid[])`,
  (row) => row.from_incident_id,
);

/** The titles of incidents that are there. */
export async function findTitles(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await database.query<{ incident_id: string; title: string }>(
    sql('grouping-titles')`select incident_id, title from incidents where incident_id = any ($1::uuid[])`,
    [[...incidentIds]],
  );
  return new Map(rows.map((row) => [row.incident_id, row.title]));
}
