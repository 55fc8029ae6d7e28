import { reopenIncident } from '@culprit/evidence/incidents/incident-state';
import { NO_DEPLOY } from '@culprit/evidence/incidents/regression';
import type { Transaction } from '../../../platform/db/database.ts';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { type LockedIncident, updateIncidents } from '../processing/locked-incidents.queries.ts';
import { leadPartTo } from './groups.queries.ts';
import { explainAnew } from './merge-into.ts';
import { moveLinksOut } from './moved-links.queries.ts';
import type { Regrouped } from './regroup.ts';

/**
 * Moves the parts of a group to separate incidents, which are reopened if they were active when they were merged. The
 * caller holds all incidents of the group. If no other incident leaves the group, the ledger gets an entry about the
 * group's incident only if `isChanged` is true.
 * @returns the entries for the ledger
 */
export async function takeApart(
  transaction: Transaction,
  group: { projectId: string; rootId: string; held: readonly LockedIncident[]; parts: readonly Regrouped[] },
  told: { data: object; nowMs: number; isChanged: boolean },
): Promise<LifecycleEvent[]> {
  const { projectId, rootId, held, parts } = group;
  const { data, nowMs } = told;
  const active = new Set<string>();
  for (const part of parts) {
    if (part.rootId === rootId) continue;
    const wasActive = await leadPartTo(transaction, rootId, part);
    if (part.rootId === null) continue;
    if (wasActive) active.add(part.rootId);
    moveLinksOut(transaction, { groupId: rootId, rootId: part.rootId, incidentIds: part.incidentIds });
  }
  const left = parts.flatMap((part) => (part.rootId === null || part.rootId === rootId ? [] : [part.rootId]));
  if (left.length === 0 && !told.isChanged) return [];
  const reopened = held.flatMap((incident) => {
    const state = active.has(incident.incidentId) ? reopenIncident(incident.state, nowMs) : null;
    return state === null ? [] : [{ ...incident, state }];
  });
  updateIncidents(transaction, reopened);
  await explainAnew(transaction, projectId, rootId);
  return [
    ...reopened.map(
      ({ incidentId }): LifecycleEvent => ({
        projectId,
        incidentId,
        kind: 'incident.reopened',
        data: { ...data, ...NO_DEPLOY },
      }),
    ),
    ...[rootId, ...left]
      .toSorted()
      .map((incidentId): LifecycleEvent => ({ projectId, incidentId, kind: 'incident.split', data })),
  ];
}
