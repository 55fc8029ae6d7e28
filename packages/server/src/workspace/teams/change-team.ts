import {
  type addTeamMember as addEndpoint,
  type createTeam as createEndpoint,
  type deleteTeam as deleteEndpoint,
  type removeTeamMember as removeEndpoint,
  TEAM_MEMBERS_MAX,
  TEAMS_MAX,
  type Team,
  type updateTeam as updateEndpoint,
} from '@culprit/contract/workspace/teams';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid, parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { shownName } from '../accounts/shown-name.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hasInvites } from '../billing/plan-limits.ts';
import { queueUnassignTeam } from '../members/members.jobs.ts';
import {
  addMember,
  countTeams,
  findTeam,
  holdTeam,
  isHandleThere,
  removeMember,
  removeTeam,
  saveTeam,
} from './teams.queries.ts';

type TeamRequest = Pick<ApiRequest<typeof deleteEndpoint>, 'access' | 'caller' | 'log' | 'clientAddress'>;

/**
 * Creates a team (docs/contract/team-workflow.md 2.4).
 * @throws Problem `upgrade_required`, `handle_taken`, `resource_limit_reached`
 */
export async function createTeam(
  runtime: Runtime,
  request: ApiRequest<typeof createEndpoint>,
): Promise<Team> {
  const { access, body } = request;
  const { organizationId } = access;
  if (runtime.plans.isEnforced && !hasInvites(access.plan)) throw new Problem('upgrade_required');
  const teamId = newUuid();
  const team = await runtime.database.transaction(async (transaction) => {
    if ((await countTeams(transaction, organizationId)) >= TEAMS_MAX)
      throw new Problem('resource_limit_reached');
    await save(transaction, { teamId, organizationId, slug: body.slug, name: shownName(body.name) });
    return await teamWithin(transaction, teamId);
  });
  await auditTeam(runtime, request, 'team.created', team);
  return team;
}

/** Renames a team. @throws Problem `team_not_found`, `handle_taken` */
export async function updateTeam(
  runtime: Runtime,
  request: ApiRequest<typeof updateEndpoint>,
): Promise<Team> {
  const { body, access } = request;
  return await changed(runtime, request, 'team.updated', async (transaction, before) => {
    const slug = body.slug ?? before.slug;
    const name = body.name === undefined ? before.name : shownName(body.name);
    if (slug === before.slug && name === before.name) return false;
    const { recordId: teamId, organizationId } = access;
    const team = { teamId, organizationId, slug, name };
    if (slug === before.slug) await saveTeam(transaction, team);
    else await save(transaction, team);
    return true;
  });
}

/** Deletes a team, and takes its incidents from it. @throws Problem `team_not_found` */
export async function deleteTeam(
  runtime: Runtime,
  request: ApiRequest<typeof deleteEndpoint>,
): Promise<Team> {
  const { recordId: teamId, organizationId } = request.access;
  const team = await runtime.database.transaction(async (transaction) => {
    await hold(transaction, teamId);
    const before = await teamWithin(transaction, teamId);
    queueUnassignTeam(transaction, teamId, organizationId);
    await removeTeam(transaction, teamId);
    return before;
  });
  await auditTeam(runtime, request, 'team.deleted', team);
  return team;
}

/** Adds a person. @throws Problem `team_not_found`, `member_not_found`, `resource_limit_reached` */
export async function addTeamMember(
  runtime: Runtime,
  request: ApiRequest<typeof addEndpoint>,
): Promise<Team> {
  const userId = parseId([], request.params.userId);
  return await changed(runtime, request, 'team.member_added', async (transaction, before) => {
    const known = before.members.find((member) => member.user_id === userId);
    if (known?.source === 'manual') return false;
    if (known === undefined && before.members.length >= TEAM_MEMBERS_MAX)
      throw new Problem('resource_limit_reached');
    const isAdded = userId !== null && (await addMember(transaction, request.access.recordId, userId));
    if (!isAdded) throw new Problem('member_not_found');
    return true;
  });
}

/** Removes a person. @throws Problem `team_not_found`, `member_not_found` */
export async function removeTeamMember(
  runtime: Runtime,
  request: ApiRequest<typeof removeEndpoint>,
): Promise<Team> {
  const userId = parseId([], request.params.userId);
  return await changed(runtime, request, 'team.member_removed', async (transaction) => {
    const isRemoved = userId !== null && (await removeMember(transaction, request.access.recordId, userId));
    if (!isRemoved) throw new Problem('member_not_found');
    return true;
  });
}

/** Changes a held team; one that stays as it was is not recorded. */
async function changed(
  runtime: Pick<Runtime, 'database'>,
  request: TeamRequest,
  action: string,
  change: (transaction: Transaction, before: Team) => Promise<boolean>,
): Promise<Team> {
  const { recordId: teamId } = request.access;
  const { team, isChanged } = await runtime.database.transaction(async (transaction) => {
    await hold(transaction, teamId);
    const isChanged = await change(transaction, await teamWithin(transaction, teamId));
    return { team: await teamWithin(transaction, teamId), isChanged };
  });
  if (isChanged) await auditTeam(runtime, request, action, team);
  return team;
}

async function auditTeam(
  { database }: Pick<Runtime, 'database'>,
  request: Omit<TeamRequest, 'access'> & {
    access: { organizationId: string; projectId: string };
  },
  action: string,
  { team_id: teamId, slug }: Team,
): Promise<void> {
  const { organizationId, projectId } = request.access;
  await recordAudit(database, request, {
    action,
    actorUserId: request.caller.userId,
    organizationId,
    projectId,
    subject: `team:${teamId}`,
    data: { slug },
  });
}

/** Saves a team under a slug that neither a team nor a person has. @throws Problem `handle_taken` */
async function save(
  transaction: Transaction,
  team: { teamId: string; organizationId: string; slug: string; name: string },
): Promise<void> {
  const isTaken = await isHandleThere(transaction, team.organizationId, team.slug);
  if (isTaken || !(await saveTeam(transaction, team))) throw new Problem('handle_taken');
}

async function hold(transaction: Transaction, teamId: string): Promise<void> {
  if (!(await holdTeam(transaction, teamId))) throw new Problem('team_not_found');
}

async function teamWithin(database: Queryable, teamId: string): Promise<Team> {
  const team = await findTeam(database, teamId);
  if (team === null) throw new Error('a team was gone under its lock');
  return team;
}
