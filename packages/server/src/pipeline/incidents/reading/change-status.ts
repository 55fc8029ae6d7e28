import type { Incident } from '@culprit/contract/incidents';
import {
  type IncidentState,
  reopenIncident,
  resolveIncident,
} from '@culprit/evidence/incidents/incident-state';
import { NO_DEPLOY } from '@culprit/evidence/incidents/regression';
import { readClock } from '../../../platform/db/read-clock.ts';
import { parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import type { Member } from '../../../workspace/tokens/authenticate-member.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import {
  type LockedIncident,
  lockIncidents,
  updateIncidents,
} from '../processing/locked-incidents.queries.ts';
import { findIncidentRecords } from './incidents.queries.ts';

/** What a member does to incidents. */
export type StatusChange = 'resolve' | 'reopen';

/**
 * Resolves or reopens incidents, all or none, in one transaction with their ledger rows (docs/contract/incidents.md
 * 1.4, 2.3). Incidents that are already there come back unchanged and emit nothing.
 * @returns their records in the order of `incidents`
 */
export async function changeStatus(
  { database }: Runtime,
  member: Member,
  incidents: readonly RecordAccess[],
  change: StatusChange,
): Promise<Incident[]> {
  const incidentIds = incidents.map(({ recordId }) => recordId);
  return await database.transaction(async (transaction) => {
    const held = await lockIncidents(transaction, incidentIds);
    const nowMs = await readClock(transaction);
    const moved: LockedIncident[] = [];
    for (const incident of held) {
      const state = nextState(incident.state, change, member, nowMs);
      if (state !== null) moved.push({ ...incident, state });
    }
    updateIncidents(transaction, moved);
    insertLifecycleEvents(transaction, ledgerRows(moved, incidents, member, change));
    const records = await findIncidentRecords(transaction, incidentIds);
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
  moved: readonly LockedIncident[],
  incidents: readonly RecordAccess[],
  member: Member,
  change: StatusChange,
): LifecycleEvent[] {
  const projectOf = new Map(incidents.map(({ recordId, projectId }) => [recordId, projectId]));
  return moved.map(({ incidentId }) => ({
    projectId: projectOf.get(incidentId) ?? '',
    incidentId,
    kind: change === 'resolve' ? 'incident.resolved' : 'incident.reopened',
    data: change === 'resolve' ? { user_id: member.userId } : { user_id: member.userId, ...NO_DEPLOY },
  }));
}
