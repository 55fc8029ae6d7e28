import {
  GROUPING_CHANGES_MAX,
  GROUPING_MEMBERS_MAX,
  GROUPING_SLOTS_MAX,
} from '@culprit/evidence/bundles/document/context-blocks/grouping';
import type {
  GroupingChangeEvidence,
  GroupingEvidence,
} from '@culprit/evidence/bundles/evidence/bundle-evidence';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { prefixedId } from '../../../platform/ids.ts';

/**
 * Returns the reasons why events with different keys are in the same incident, by incident; an incident without such
 * events is missing.
 */
export async function findGroupingEvidence(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, GroupingEvidence>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await database.query<GroupingRow>(GROUPING, [incidentIds]);
  return new Map(
    rows.flatMap((row) =>
      row.members.length + row.slots.length + row.changes.length === 0
        ? []
        : [[row.incident_id, groupingOf(row)]],
    ),
  );
}

interface GroupingRow {
  incident_id: string;
  members: string[];
  slots: {
    slot: string;
    pattern: string;
    words: string[];
    is_browser: boolean;
    opened_at_ms: number;
    opened_by_event_id: string;
  }[];
  changes: {
    kind: string;
    at_ms: number;
    user_id: string | null;
    slot_id: string | null;
    regrouping_id: string | null;
    by: string | null;
    into: string | null;
  }[];
}

const GROUPING = sql('bundle-grouping')`
    select i.incident_id,
      array(select distinct from_incident_id from incident_aliases a
        where a.incident_id = i.incident_id and merged_into is not null order by from_incident_id limit ${GROUPING_MEMBERS_MAX}
      ) as members,
      (select coalesce(json_agg(s), '[]') from (
        select encode(slot, 'hex') as slot, pattern, words, is_browser,
          (extract(epoch from opened_at) * 1000)::bigint as opened_at_ms, opened_by_event_id
        from incident_slots where opened_at is not null and closed_at is null and incident_id in (
          select i.incident_id union
          select from_incident_id from incident_aliases a where a.incident_id = i.incident_id)
        order by opened_at desc, slot limit ${GROUPING_SLOTS_MAX}) s) as slots,
      (select coalesce(json_agg(c), '[]') from (
        select kind, (extract(epoch from occurred_at) * 1000)::bigint as at_ms, data ->> 'user_id' as user_id,
          data ->> 'slot_id' as slot_id, data ->> 'regrouping_id' as regrouping_id, data ->> 'by' as by, data ->> 'into' as into
        from lifecycle_events l
        where l.incident_id = i.incident_id and kind in ('incident.merged', 'incident.split')
        order by lifecycle_id desc limit ${GROUPING_CHANGES_MAX}) c) as changes
    from unnest($1::uuid[]) as i (incident_id)`;

function groupingOf(row: GroupingRow): GroupingEvidence {
  return {
    members: row.members.map((id) => prefixedId('inc', id)),
    slots: row.slots.map((slot) => ({
      slotId: slot.slot,
      pattern: slot.pattern,
      words: slot.words,
      isBrowser: slot.is_browser,
      openedAtMs: slot.opened_at_ms,
      openedByEventId: slot.opened_by_event_id,
    })),
    changes: row.changes.map((change) => ({
      kind: change.kind === 'incident.merged' ? 'merged' : 'split',
      atMs: change.at_ms,
      by: byOf(change),
      userId: change.user_id,
      slotId: change.slot_id,
      into: change.into,
    })),
  };
}

function byOf({ by, regrouping_id, slot_id }: GroupingRow['changes'][number]): GroupingChangeEvidence['by'] {
  if (by === 'maps') return 'maps';
  return regrouping_id !== null ? 'rules' : slot_id !== null ? 'slot' : 'person';
}
