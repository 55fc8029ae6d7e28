import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type {
  AvailabilityCheck,
  createAvailabilityCheck as endpoint,
} from '@culprit/contract/monitor/availability-checks';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { checkScopeOf } from './check-scope.ts';
import { type NewCheckSettings, newCheckSettings } from './check-settings.ts';
import { findCheck, insertCheck, lockProjectAndCountChecks } from './checks.queries.ts';
import { requireCheckTarget, requireReachable } from './require-target.ts';

/** The settings of a new check. @throws Problem `invalid_payload`, `blocked_target` */
export function checkNewCheck(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): NewCheckSettings {
  return newCheckSettings(requireCheckTarget(outbound, body.url), body);
}

/**
 * Creates a check, which runs immediately (docs/contract/account.md 7.1).
 * @throws Problem `blocked_target`, `project_not_found` when it was deleted, `availability_check_interval_too_low`,
 * `availability_check_limit_reached`
 */
export async function createCheck(
  { database, plans, outbound }: Runtime,
  request: ApiRequest<typeof endpoint, NewCheckSettings>,
): Promise<AvailabilityCheck> {
  const { access, caller, checked: settings } = request;
  const scope = checkScopeOf(plans, access);
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
    ...access,
    action: 'availability_check.created',
    actorUserId: caller.userId,
    subject: `availability_check:${checkId}`,
  });
  return check;
}
