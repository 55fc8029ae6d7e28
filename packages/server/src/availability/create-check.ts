import type {
  AvailabilityCheck,
  createAvailabilityCheck as endpoint,
} from '@culprit/contract/availability-checks';
import type { BodyOf } from '@culprit/contract/endpoint';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { newCheckSettings } from './check-settings.ts';
import { findCheck, insertCheck, lockProjectAndCountChecks } from './checks.queries.ts';
import { requireCheckProject } from './require-check.ts';
import { requireReachable, requireTarget } from './require-target.ts';

/**
 * Makes a check, which runs at once (account.md 7.1).
 * @throws Problem `invalid_payload`, `blocked_target`, `project_not_found`, `forbidden`, `shared_access_suspended`,
 * `availability_check_interval_too_low`, `availability_check_limit_reached`
 */
export async function createCheck(
  { database, plans, outbound }: AvailabilityRoom,
  member: Member,
  projectId: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<AvailabilityCheck> {
  const settings = newCheckSettings(requireTarget(outbound, body.url), body);
  const { access, scope } = await requireCheckProject(database, plans, member, projectId, 'admin');
  await requireReachable(outbound, settings.url);
  if (settings.intervalSeconds < scope.allowance.intervalSecondsMin) {
    throw new Problem('availability_check_interval_too_low');
  }
  const checkId = newUuid();
  const check = await database.transaction(async (transaction) => {
    const project = await lockProjectAndCountChecks(transaction, scope.projectId);
    if (project === null) throw new Problem('project_not_found');
    if (project.checks >= scope.allowance.checksMax) throw new Problem('availability_check_limit_reached');
    const environment = settings.environment ?? project.environmentDefault;
    await insertCheck(transaction, scope.projectId, checkId, { ...settings, environment });
    return await findCheck(transaction, scope, checkId);
  });
  if (check === null) throw new Error('an inserted check is not there');
  await recordAudit(database, request, {
    action: 'availability_check.created',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: `availability_check:${checkId}`,
  });
  return check;
}
