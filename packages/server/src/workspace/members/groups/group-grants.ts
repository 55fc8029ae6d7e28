import {
  type createGroupGrant as createEndpoint,
  type deleteGroupGrant as deleteEndpoint,
  GROUP_GRANTS_MAX,
  type GroupGrant,
  type listGroupGrants as listEndpoint,
} from '@culprit/contract/workspace/group-grants';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { newUuid, parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { planInForce } from '../../billing/plan-in-force.ts';
import { hasInvites } from '../../billing/plan-limits.ts';
import { findPlanRecord } from '../../billing/plan-records.queries.ts';
import {
  countOtherGrants,
  deleteGrantRow,
  isProjectOf,
  isTeamOf,
  listGrantRows,
  saveGrant,
} from './group-grants.queries.ts';

/** The grants of the caller's organization. */
export async function listGroupGrants(
  { database }: Runtime,
  { access }: ApiRequest<typeof listEndpoint>,
): Promise<GroupGrant[]> {
  return await listGrantRows(database, access.organizationId);
}

/**
 * Gives a group a role, and a team if one is named, which its people get at their next sign-in. The same group and
 * project again changes both.
 * @throws Problem `upgrade_required`, `project_not_found`, `team_not_found`, `resource_limit_reached`
 */
export async function createGroupGrant(
  { database, plans }: Runtime,
  request: ApiRequest<typeof createEndpoint>,
): Promise<GroupGrant> {
  const { access, body, caller } = request;
  const { organizationId } = access;
  if (plans.isEnforced) {
    const found = await findPlanRecord(database, organizationId);
    if (found === null || !hasInvites(planInForce(found.record, plans, found.nowMs).plan)) {
      throw new Problem('upgrade_required');
    }
  }
  const given = body.project_id ?? null;
  const projectId = given === null ? null : parseId(['proj'], given);
  if (given !== null && projectId === null) throw new Problem('project_not_found');
  const teamId = typeof body.team_id === 'string' ? parseId([], body.team_id) : body.team_id;
  if (teamId === null && body.team_id !== null) throw new Problem('team_not_found');
  const grant = await database.transaction(async (transaction) => {
    if (projectId !== null && !(await isProjectOf(transaction, organizationId, projectId))) {
      throw new Problem('project_not_found');
    }
    if (typeof teamId === 'string' && !(await isTeamOf(transaction, organizationId, teamId))) {
      throw new Problem('team_not_found');
    }
    const { group, role } = body;
    const count = await countOtherGrants(transaction, organizationId, { group, projectId });
    if (count === null || count >= GROUP_GRANTS_MAX) throw new Problem('resource_limit_reached');
    return await saveGrant(transaction, {
      grantId: newUuid(),
      organizationId,
      group,
      role,
      projectId,
      teamId,
    });
  });
  await recordAudit(database, request, {
    action: 'group_grant.created',
    actorUserId: caller.userId,
    organizationId,
    projectId,
    subject: `group_grant:${grant.grant_id}`,
    data: { role: grant.role, ...(grant.team_id === null ? {} : { team_id: grant.team_id }) },
  });
  return grant;
}

/** Takes a grant back. @throws Problem `grant_not_found` */
export async function deleteGroupGrant(
  { database }: Runtime,
  request: ApiRequest<typeof deleteEndpoint>,
): Promise<void> {
  const { access, params, caller } = request;
  const { organizationId } = access;
  const grantId = parseId([], params.grantId);
  if (grantId === null || !(await deleteGrantRow(database, organizationId, grantId))) {
    throw new Problem('grant_not_found');
  }
  await recordAudit(database, request, {
    action: 'group_grant.deleted',
    actorUserId: caller.userId,
    organizationId,
    subject: `group_grant:${grantId}`,
  });
}
