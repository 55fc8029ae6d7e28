import { BULK_IDS_MAX, type Incident } from '@culprit/contract/incidents';
import type { PlanSettings } from '../billing/plan.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../lifecycle/lifecycle.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type HeldIncident, lockIncidents, readClock, updateIncidents } from './held-incidents.queries.ts';
import { type IncidentState, reopenIncident, resolveIncident } from './incident-state.ts';
import { requireIncidentRecords } from './read-incident.ts';
import { NO_DEPLOY } from './regression.ts';

/** What a member does to incidents. */
export type StatusChange = 'resolve' | 'reopen';

/**
 * Resolves or reopens incidents, all or none, in one transaction with their ledger rows (incidents.md 1.4, 2.3).
 * Incidents that are already there come back unchanged and emit nothing.
 * @param ids as the client wrote them; repetitions are ignored after the first
 * @throws Problem `incident_not_found` when one of them is unknown or not visible, `shared_access_suspended`
 */
export async function changeStatus(
  database: Database,
  plans: PlanSettings,
  member: Member,
  ids: readonly string[],
  change: StatusChange,
): Promise<Incident[]> {
  if (ids.length > BULK_IDS_MAX) throw new Problem('invalid_payload');
  const incidentIds = [...new Set(ids.map((id) => parseId(['inc', 'bun'], id)))].filter((id) => id !== null);
  if (ids.some((id) => parseId(['inc', 'bun'], id) === null)) throw new Problem('incident_not_found');
  return await database.transaction(async (transaction) => {
    const visible = await requireIncidentRecords(transaction, plans, member, incidentIds);
    const held = await lockIncidents(transaction, incidentIds);
    const nowMs = await readClock(transaction);
    const moved: HeldIncident[] = [];
    for (const incident of held) {
      const state = nextState(incident.state, change, member, nowMs);
      if (state !== null) moved.push({ ...incident, state });
    }
    await updateIncidents(transaction, moved);
    await insertLifecycleEvents(transaction, ledgerRows(moved, visible, member, change));
    const records = await requireIncidentRecords(transaction, plans, member, incidentIds);
    const byId = new Map(records.map((record) => [parseId(['inc'], record.incident_id), record]));
    return incidentIds.flatMap((id) => byId.get(id) ?? []);
  });
}

function nextState(
  state: IncidentState,
  change: StatusChange,
  member: Member,
  nowMs: number,
): IncidentState | null {
  return change === 'resolve' ? resolveIncident(state, member.userId, nowMs) : reopenIncident(state, nowMs);
}

function ledgerRows(
  moved: readonly HeldIncident[],
  visible: readonly Incident[],
  member: Member,
  change: StatusChange,
): LifecycleEvent[] {
  const projectOf = new Map(
    visible.map((record) => [parseId(['inc'], record.incident_id), parseId(['proj'], record.project_id)]),
  );
  return moved.map(({ incidentId }) => ({
    projectId: projectOf.get(incidentId) ?? '',
    incidentId,
    kind: change === 'resolve' ? 'incident.resolved' : 'incident.reopened',
    data: change === 'resolve' ? { user_id: member.userId } : { user_id: member.userId, ...NO_DEPLOY },
  }));
}
