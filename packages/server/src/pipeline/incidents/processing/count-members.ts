import type { Transaction } from '../../../platform/db/database.ts';
import type { SignalGroup } from './hold-groups.ts';
import type { MembersMemory } from './incident-members.ts';
import { recordMembers } from './record-members.ts';

/** Updates affected users and request counts of held incidents (docs/contract/incidents.md 5.11, 3.6). */
export async function countMembers(
  transaction: Transaction,
  projectId: string,
  groups: readonly SignalGroup[],
  memory: MembersMemory,
): Promise<void> {
  const met = groups.map((group) => ({ ...membersOf(group), group }));
  const counts = await recordMembers(
    transaction,
    projectId,
    met.map(({ group: { incident, isNew }, users, requests }) => ({
      incidentId: incident.incidentId,
      isNew,
      users,
      requests,
    })),
    memory,
  );
  for (const { group, users, requests } of met) {
    const { incident } = group;
    const count = counts.get(incident.incidentId);
    if (count === undefined) continue;
    if (users.size > 0) incident.affectedUsers = count.users;
    if (requests.size > 0) incident.distinctRequests = count.requests;
  }
}

function membersOf({ incident, signals }: SignalGroup) {
  const users = new Set<bigint>();
  const requests = new Set<bigint>();
  for (const { event, hashes } of signals) {
    if (hashes.request === null) incident.occurrencesWithoutRequestId += 1;
    else requests.add(hashes.request);
    if (event.hasRequest) incident.occurrencesWithRequestBlock += 1;
    if (event.userHash !== null) users.add(event.userHash);
  }
  return { users, requests };
}
