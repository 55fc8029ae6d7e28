import { TEAM_MEMBERS_MAX } from '@culprit/contract/workspace/teams';
import type { Transaction } from '../../platform/db/database.ts';
import type { GroupSyncOutcome, TeamChange } from '../accounts/oidc/group-sync.ts';
import { syncGroups } from '../members/groups/sync-groups.ts';
import { addGroupMember, listTeamDifferences, removeGroupMember } from './team-groups.queries.ts';
import { findTeam, holdTeam } from './teams.queries.ts';

/**
 * Makes the memberships and teams of a person what their groups give. Memberships come first, since a team takes only
 * people who have access (docs/contract/team-workflow.md 9.4).
 */
export async function syncGroupsAndTeams(
  transaction: Transaction,
  person: { userId: string; groups: readonly string[] | null },
): Promise<GroupSyncOutcome> {
  const outcome = await syncGroups(transaction, person);
  const { userId, groups } = person;
  return { ...outcome, teamChanges: groups === null ? [] : await syncTeams(transaction, userId, groups) };
}

/** Joins and leaves teams as groups say. A place in a team that people gave stays. */
async function syncTeams(
  transaction: Transaction,
  userId: string,
  groups: readonly string[],
): Promise<TeamChange[]> {
  const changes: TeamChange[] = [];
  for (const difference of await listTeamDifferences(transaction, userId, groups)) {
    const { team_id: teamId, organization_id: organizationId, slug, is_wanted: isAdded } = difference;
    if (!(await holdTeam(transaction, teamId))) continue;
    const team = isAdded ? await findTeam(transaction, teamId) : null;
    if (team !== null && team.members.length >= TEAM_MEMBERS_MAX) continue;
    const change = isAdded ? addGroupMember : removeGroupMember;
    if (await change(transaction, teamId, userId)) changes.push({ teamId, organizationId, slug, isAdded });
  }
  return changes;
}
