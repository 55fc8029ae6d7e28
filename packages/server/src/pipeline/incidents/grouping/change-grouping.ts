import type { mergeIncidents, splitIncident } from '@culprit/contract/incidents/incident-grouping';
import { type IncidentGrouping, SHOWN_KEYS_MAX } from '@culprit/contract/incidents/incident-grouping';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { parseId, prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import { findMembers, findMergedInto, readGrouping, type SlotRow } from './aliases.queries.ts';
import { closeSlots, readGroup } from './groups.queries.ts';
import { mergeInto } from './merge-into.ts';
import { type Group, regroup } from './regroup.ts';
import { lockSlotsOf } from './slot-locks.queries.ts';
import { takeApart } from './take-apart.ts';

/**
 * Returns the keys and slots that bring events to an incident. @throws Problem `incident_not_found` when it was deleted
 */
export async function getGrouping(
  { database }: { database: Queryable },
  { recordId }: Pick<RecordAccess, 'recordId'>,
): Promise<IncidentGrouping> {
  const found = await readGrouping(database, recordId, SHOWN_KEYS_MAX);
  if (found === null) throw new Problem('incident_not_found');
  return {
    incident_id: prefixedId('inc', recordId),
    merged_into: found.mergedInto === null ? null : prefixedId('inc', found.mergedInto),
    members: found.members.map((id) => prefixedId('inc', id)),
    ...found.explanation,
    keys: found.keys.map((key) => ({
      fingerprint_version: key.fingerprintVersion,
      fingerprint: key.fingerprint,
      origin: key.origin,
      since: key.sinceMs === null ? null : formatTimestamp(key.sinceMs),
      from_incident_id: key.fromIncidentId === null ? null : prefixedId('inc', key.fromIncidentId),
      slot_id: key.slot,
    })),
    slots: found.slots.map(shownSlot),
  };
}

function shownSlot(row: SlotRow): IncidentGrouping['slots'][number] {
  const words = row.words.filter((word) => word !== '');
  return {
    slot_id: row.slot,
    template: row.pattern,
    words,
    holds_values: words.length < row.words.length,
    only_browsers: row.isBrowser,
    opened_at: formatTimestamp(row.openedAtMs),
    opened_by_event_id: row.openedByEventId,
  };
}

/**
 * Merges incidents of one service into the one that was seen first (docs/contract/grouping.md 6). The others keep their
 * counts and are resolved; their events join the first from now on.
 * @throws Problem `incidents_of_different_services`, `incident_not_found` when one was deleted
 */
export async function mergeLocked(
  { database }: Runtime,
  { access, caller }: Pick<ApiRequest<typeof mergeIncidents, undefined>, 'access' | 'caller'>,
): Promise<IncidentGrouping> {
  const incidentIds = [...new Set(access.map(({ recordId }) => recordId))];
  return await database.transaction(async (transaction) => {
    // An incident that was merged before means the incident into which it was merged.
    const mergedInto = await findMergedInto(transaction, incidentIds);
    const wanted = new Set(incidentIds.map((id) => mergedInto.get(id) ?? id));
    const held = await lockIncidents(transaction, [...wanted]);
    const [oldest, ...others] = held.toSorted(
      (a, b) => a.state.firstSeenAtMs - b.state.firstSeenAtMs || (a.incidentId < b.incidentId ? -1 : 1),
    );
    if (oldest === undefined || held.length < wanted.size) throw new Problem('incident_not_found');
    // Sample data are removed as a whole, so nothing else may become a part of them.
    const { serviceId, isSample } = oldest;
    if (others.some((each) => each.serviceId !== serviceId || each.isSample !== isSample)) {
      throw new Problem('incidents_of_different_services');
    }
    const projectId = access[0]?.projectId ?? '';
    if (others.length > 0) {
      const nowMs = await readClock(transaction);
      const by = { userId: caller.userId };
      insertLifecycleEvents(
        transaction,
        await mergeInto(transaction, projectId, { oldest, others, by, nowMs }),
      );
    }
    return await getGrouping({ database: transaction }, { recordId: oldest.incidentId });
  });
}

/**
 * Removes merged incidents from the group, in their former state, and closes slots permanently
 * (docs/contract/grouping.md 6). An incident that a slot added closes its slots too. The incident itself may be named
 * and stays.
 * @throws Problem `incident_not_found` for an id that was not merged into it, `slot_not_found`
 */
export async function splitLocked(
  { database }: Runtime,
  { access, caller, body }: Pick<ApiRequest<typeof splitIncident, undefined>, 'access' | 'caller' | 'body'>,
): Promise<IncidentGrouping> {
  const { recordId, projectId } = access;
  const named = body.incident_ids ?? [];
  const asked = named.flatMap((id) => parseId(['inc', 'bun'], id) ?? []);
  return await database.transaction(async (transaction) => {
    // Slots first, then incidents in the order of their ids, as workers hold them.
    await lockSlotsOf(transaction, [recordId]);
    const known = await readGroup(transaction, recordId);
    const held = await lockIncidents(
      transaction,
      known.incidents.map(({ incidentId }) => incidentId),
    );
    const members = await findMembers(transaction, recordId, asked);
    const isKnown = (id: string) => id === recordId || members.includes(id);
    if (asked.length < named.length || !asked.every(isKnown)) throw new Problem('incident_not_found');
    // Incidents that workers merged since wait for the next call: the workers wait for these locks, or finished before.
    const group = await readGroup(transaction, recordId);
    const slots = new Set([...(body.slot_ids ?? []), ...slotsOfMembers(group, members)]);
    if ([...slots].some((slot) => !group.slots.some((each) => each.slot === slot))) {
      throw new Problem('slot_not_found');
    }
    const parts = regroup(group, { slots, incidentIds: new Set(members) });
    const { serviceId } = held.find(({ incidentId }) => incidentId === recordId) ?? {};
    if (serviceId === undefined) throw new Problem('incident_not_found');
    await closeSlots(transaction, { projectId, serviceId }, [...slots], caller.userId);
    const told = {
      data: { user_id: caller.userId },
      nowMs: await readClock(transaction),
      isChanged: slots.size > 0,
    };
    insertLifecycleEvents(
      transaction,
      await takeApart(transaction, { projectId, rootId: recordId, held, parts }, told),
    );
    return await getGrouping({ database: transaction }, { recordId });
  });
}

/** The open slots that tie members to the group. */
function slotsOfMembers({ keys, incidents, slots }: Group, members: readonly string[]): string[] {
  const own = new Set(
    [...incidents, ...keys.map(({ key, fromIncidentId }) => ({ key, incidentId: fromIncidentId }))].flatMap(
      ({ key, incidentId }) => (incidentId !== null && members.includes(incidentId) ? [key] : []),
    ),
  );
  return slots.filter((slot) => slot.keys.some((key) => own.has(key))).map(({ slot }) => slot);
}
