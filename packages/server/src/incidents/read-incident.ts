import type { Incident } from '@culprit/contract/incidents';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findIncidentRecords } from './incidents.queries.ts';

/** One incident by its own id or the id of its bundle, if the member sees it. */
export async function readIncident(database: Queryable, member: Member, id: string): Promise<Incident> {
  const incidentId = parseId(['inc', 'bun'], id);
  const [incident] =
    incidentId === null ? [] : await findIncidentRecords(database, member.userId, [incidentId]);
  if (incident === undefined) throw new Problem('incident_not_found');
  return incident;
}
