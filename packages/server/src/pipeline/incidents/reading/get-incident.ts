import type { Incident } from '@culprit/contract/incidents/incidents';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { findIncidentRecords } from './incidents.queries.ts';

/** Returns one incident. @throws Problem `incident_not_found` when it was deleted */
export async function getIncident({ database }: Runtime, { recordId }: RecordAccess): Promise<Incident> {
  const [incident] = await findIncidentRecords(database, [recordId]);
  if (incident === undefined) throw new Problem('incident_not_found');
  return incident;
}
