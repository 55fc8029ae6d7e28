import type { Transaction } from '../../../platform/db/database.ts';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import type { LockedIncident } from '../processing/locked-incidents.queries.ts';
import { untouched } from '../triage/change-triage.ts';
import { findTriage, holdAssigned, saveTriage } from '../triage/triage.queries.ts';

/**
 * Gives an incident that no one has the assignee of those that are merged into it: of the one with the most occurrences
 * (docs/contract/team-workflow.md 2.1).
 * @returns the entry for the ledger, if there is one
 */
export async function takeOverAssignee(
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
