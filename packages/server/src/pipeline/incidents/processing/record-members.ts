import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../../platform/db/database.ts';
import { addMembers, type MembersMemory, membersOfRow, noMembers } from './incident-members.ts';
import { type MembersWrite, readMembers, writeMembers } from './members.queries.ts';

/** The users and requests of signals of a held incident. */
interface MetMembers {
  incidentId: string;
  /** It was made in this transaction. */
  isNew: boolean;
  users: ReadonlySet<bigint>;
  requests: ReadonlySet<bigint>;
}

/**
 * Adds users and requests to the sets of their incidents. Returns the numbers to show, by incident id, of those incidents
 * that got any.
 */
export async function recordMembers(
  transaction: Transaction,
  projectId: string,
  incidents: readonly MetMembers[],
  memory: MembersMemory,
): Promise<Map<string, { users: number; requests: number }>> {
  const met = incidents.filter(({ users, requests }) => users.size + requests.size > 0);
  const remembered = new Map(met.map(({ incidentId }) => [incidentId, memory.take(incidentId)]));
  const rows = await readMembers(
    transaction,
    projectId,
    met
      .filter(({ isNew }) => !isNew)
      .map(({ incidentId }) => ({ incidentId, stamp: remembered.get(incidentId)?.stamp ?? null })),
  );
  const stamp = randomBytes(8).readBigInt64BE();
  const counts = new Map<string, { users: number; requests: number }>();
  const writes: (MembersWrite & { incidentId: string })[] = [];
  for (const { incidentId, users, requests } of met) {
    const row = rows.get(incidentId);
    const known = row === null ? remembered.get(incidentId) : undefined;
    const members = known ?? (row === null || row === undefined ? noMembers() : membersOfRow(row));
    const write = addMembers(members, { users, requests }, stamp);
    if (write !== null) writes.push({ incidentId, ...write });
    counts.set(incidentId, { users: members.users.count(), requests: members.requests.count() });
    memory.keep(incidentId, members);
  }
  writeMembers(transaction, projectId, stamp, writes);
  return counts;
}
