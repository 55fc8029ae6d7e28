import type { Incident } from '@culprit/contract/incidents';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findIncidentRecords } from './incidents.queries.ts';

/**
 * One incident by its own id or the id of its bundle, if the member sees it.
 * @throws Problem `incident_not_found`, `shared_access_suspended`
 */
export async function readIncident(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
): Promise<Incident> {
  const incidentId = parseId(['inc', 'bun'], id);
  if (incidentId === null) throw new Problem('incident_not_found');
  const [incident] = await requireIncidentRecords(database, plans, member, [incidentId]);
  if (incident === undefined) throw new Problem('incident_not_found');
  return incident;
}

/**
 * Records of incidents that all have to be there, in no order: judged together, visibility before paused sharing.
 * @param incidentIds bare and distinct
 * @throws Problem `incident_not_found`, `shared_access_suspended`
 */
export async function requireIncidentRecords(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  incidentIds: readonly string[],
): Promise<Incident[]> {
  const found = await findIncidentRecords(database, plans, member.userId, incidentIds);
  if (found.length < incidentIds.length) throw new Problem('incident_not_found');
  if (found.some(({ isSuspended }) => isSuspended)) throw new Problem('shared_access_suspended');
  return found.map(({ record }) => record);
}
