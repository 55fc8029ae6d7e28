import { resolveIncident } from '@culprit/evidence/incidents/incident-state';
import { BROWSER_SOURCE } from '@culprit/evidence/incidents/source-trust';
import type { Transaction } from '../../../platform/db/database.ts';
import { prefixedId } from '../../../platform/ids.ts';
import { requestBundles } from '../../bundles/queue/request-bundles.ts';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { copyWatchers } from '../notes/watchers.queries.ts';
import {
  type LockedIncident,
  lockIncidents,
  updateIncidents,
} from '../processing/locked-incidents.queries.ts';
import { untouched } from '../triage/change-triage.ts';
import { findTriage, holdAssigned, saveTriage } from '../triage/triage.queries.ts';
import { leadKeysTo, type MergedBy } from './groups.queries.ts';
import type { PendingMerge } from './join-slots.ts';
import { moveLinksInto } from './moved-links.queries.ts';

/**
 * Leads the keys of held incidents to the oldest of them. The others keep their counts and are resolved.
 * @returns the entries for the ledger
 */
export async function mergeInto(
  transaction: Transaction,
  projectId: string,
  merge: { oldest: LockedIncident; others: readonly LockedIncident[]; by: MergedBy; nowMs: number },
): Promise<LifecycleEvent[]> {
  const { oldest, others, by, nowMs } = merge;
  const userId = 'userId' in by ? by.userId : null;
  const fromIds = others.map(({ incidentId }) => incidentId);
  const resolved = others.flatMap((incident) => {
    const state = resolveIncident(incident.state, userId, nowMs);
    return state === null ? [] : [{ ...incident, state }];
  });
  await leadKeysTo(transaction, {
    into: oldest.incidentId,
    mergedIds: fromIds,
    activeIds: resolved.map(({ incidentId }) => incidentId),
    by,
  });
  updateIncidents(transaction, resolved);
  copyWatchers(transaction, projectId, { fromIds, intoId: oldest.incidentId });
  moveLinksInto(transaction, { fromIds, intoId: oldest.incidentId });
  await explainAnew(transaction, projectId, oldest.incidentId);
  const into = prefixedId('inc', oldest.incidentId);
  const data = toldOf(by);
  const taken = { into: oldest.incidentId, from: others, data, nowMs };
  return [
    ...(await takeOverAssignee(transaction, projectId, taken)),
    ...resolved.map(
      ({ incidentId }): LifecycleEvent => ({ projectId, incidentId, kind: 'incident.resolved', data }),
    ),
    ...[oldest, ...others].map(
      ({ incidentId }): LifecycleEvent => ({
        projectId,
        incidentId,
        kind: 'incident.merged',
        data: { ...data, into },
      }),
    ),
  ];
}

/** Returns the person or the cause, in the form of the ledger. */
function toldOf(by: MergedBy): object {
  if ('slot' in by) return { slot_id: by.slot };
  if ('isByMaps' in by) return { by: 'maps' };
  const { userId, regroupingId } = by;
  return { user_id: userId, ...(regroupingId === undefined ? {} : { regrouping_id: regroupingId }) };
}

/** Makes one of the incidents that slots tied together, after their signals were counted. */
export async function mergeBySlots(
  transaction: Transaction,
  projectId: string,
  merges: readonly PendingMerge[],
  nowMs: number,
): Promise<LifecycleEvent[]> {
  if (merges.length === 0) return [];
  // They are held already; read again, because they were counted since.
  const ids = new Set(merges.flatMap(({ from, into }) => [from, into]));
  const held = new Map(
    (await lockIncidents(transaction, [...ids])).map((incident) => [incident.incidentId, incident]),
  );
  const lifecycle: LifecycleEvent[] = [];
  for (const { from, into, slot, isBrowser } of merges) {
    const other = held.get(from);
    const oldest = held.get(into);
    if (other === undefined || oldest === undefined) continue;
    // A server may have sent one of its keys in this very transaction: then browsers may not tie it to anything.
    if (isBrowser && other.sources !== BROWSER_SOURCE) continue;
    const by = { slot: slot.slot, isBrowser };
    lifecycle.push(...(await mergeInto(transaction, projectId, { oldest, others: [other], by, nowMs })));
  }
  return lifecycle;
}

/** Requests the bundle again, because it explains the merges and splits; webhooks are sent when it is ready. */
export async function explainAnew(
  transaction: Transaction,
  projectId: string,
  incidentId: string,
): Promise<void> {
  requestBundles(transaction, projectId, [{ incidentId, trigger: 'grouping' }]);
}

/**
 * Gives an incident that no one has the assignee of those that are merged into it: of the one with the most occurrences
 * (docs/contract/team-workflow.md 2.1).
 * @returns the entry for the ledger, if there is one
 */
async function takeOverAssignee(
  transaction: Transaction,
  projectId: string,
  { into, from, data, nowMs }: { into: string; from: readonly LockedIncident[]; data: object; nowMs: number },
): Promise<LifecycleEvent[]> {
  const known = await findTriage(transaction, [into, ...from.map(({ incidentId }) => incidentId)]);
  const before = known.get(into) ?? untouched(into, projectId);
  if (before.assigneeUserId !== null || before.assigneeTeamId !== null) return [];
  const assigned = from
    .toSorted(
      (a, b) => b.state.occurrenceCount - a.state.occurrenceCount || (a.incidentId < b.incidentId ? -1 : 1),
    )
    .flatMap(({ incidentId }) => known.get(incidentId) ?? []);
  for (const { assigneeUserId, assigneeTeamId } of assigned) {
    const found = await holdAssigned(transaction, projectId, { assigneeUserId, assigneeTeamId });
    if (found === null) continue;
    saveTriage(transaction, [{ ...before, assigneeUserId, assigneeTeamId, assignedAtMs: nowMs }]);
    const told = { ...data, because: 'merge', assignee: found };
    return [{ projectId, incidentId: into, kind: 'incident.assigned', data: told }];
  }
  return [];
}
