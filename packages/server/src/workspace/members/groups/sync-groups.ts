import type { Transaction } from '../../../platform/db/database.ts';
import type { GroupChange, GroupSyncOutcome } from '../../accounts/oidc/group-sync.ts';
import { lockProject } from '../../projects/projects.queries.ts';
import { removeCollaborator } from '../end-membership.ts';
import { cancelInvitesOf, countCollaborators } from '../invites.queries.ts';
import { insertCollaborator, lockMember, updateMemberRole } from '../members.queries.ts';
import { COLLABORATORS_MAX } from '../people-limits.ts';
import {
  deleteGroupMembership,
  findManualRole,
  type GroupDifference,
  hasGroupGrants,
  listGroupDifferences,
  saveGroupMembership,
} from './group-memberships.queries.ts';

type Role = 'admin' | 'member';

/**
 * Makes the memberships of a person what their groups give: added, raised, lowered and removed. A role that people gave
 * is never taken away, and the higher of both holds. No one becomes or stops being an owner
 * (docs/contract/team-workflow.md 9.4).
 */
export async function syncGroups(
  transaction: Transaction,
  { userId, groups }: { userId: string; groups: readonly string[] | null },
): Promise<Omit<GroupSyncOutcome, 'teamChanges'>> {
  if (groups === null) return { changes: [], isGroupsMissing: await hasGroupGrants(transaction) };
  const changes: GroupChange[] = [];
  for (const difference of await listGroupDifferences(transaction, userId, groups)) {
    const change = await applyDifference(transaction, userId, difference);
    if (change !== null && change.from !== change.to) changes.push(change);
  }
  return { changes, isGroupsMissing: false };
}

/** Null when the project is gone, full, or the person's own. */
async function applyDifference(
  transaction: Transaction,
  userId: string,
  { project_id: projectId, organization_id: organizationId, wanted }: GroupDifference,
): Promise<GroupChange | null> {
  if ((await lockProject(transaction, projectId)) === null) return null;
  const member = await lockMember(transaction, projectId, userId);
  if (member?.role === 'owner') return null;
  const from = member?.role ?? null;
  const known = await findManualRole(transaction, projectId, userId);
  const manualRole = known === undefined ? from : known;
  const to = higherRole(manualRole, wanted);
  if (to === null) {
    if (member !== null) await removeCollaborator(transaction, { projectId, ...member });
  } else if (from === null) {
    if ((await countCollaborators(transaction, projectId)) >= COLLABORATORS_MAX) return null;
    await insertCollaborator(transaction, projectId, userId, to);
  } else if (from !== to) {
    // First the invites: as long as the sender may invite, they count as open.
    if (to === 'member') await cancelInvitesOf(transaction, projectId, userId);
    await updateMemberRole(transaction, projectId, userId, to);
  }
  if (wanted === null) await deleteGroupMembership(transaction, projectId, userId);
  else await saveGroupMembership(transaction, { projectId, userId, role: wanted, manualRole });
  return { projectId, organizationId, from, to };
}

function higherRole(one: Role | null, other: Role | null): Role | null {
  return one === 'admin' || other === 'admin' ? 'admin' : (one ?? other);
}
