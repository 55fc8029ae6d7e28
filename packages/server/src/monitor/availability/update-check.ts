import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type {
  AvailabilityCheck,
  updateAvailabilityCheck as endpoint,
} from '@culprit/contract/monitor/availability-checks';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { checkScopeOf } from './check-scope.ts';
import { type CheckChange, changedSettings, checkChange, resetsEvidence } from './check-settings.ts';
import { findCheck, lockCheckSettings, updateCheckRow } from './checks.queries.ts';
import { requireCheckTarget, requireReachable } from './require-target.ts';

/** Returns the change of a check from a body. @throws Problem `invalid_payload`, `blocked_target` */
export function checkCheckChange(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): CheckChange {
  return checkChange(body.url === undefined ? undefined : requireCheckTarget(outbound, body.url), body);
}

/**
 * Changes a check (docs/contract/account.md 7.2). What it requests, or how that is judged, begins without evidence when
 * it changes.
 * @throws Problem `invalid_payload` when its bounds then contradict each other, `blocked_target`,
 * `availability_check_not_found` when it was deleted, `availability_check_interval_too_low`
 */
export async function updateCheck(
  { database, plans, outbound }: Runtime,
  request: ApiRequest<typeof endpoint, CheckChange>,
): Promise<AvailabilityCheck> {
  const { access, caller, body, checked: change } = request;
  const { projectId, recordId: checkId } = access;
  const scope = checkScopeOf(plans, access);
  if (change.url !== undefined) await requireReachable(outbound, change.url);
  const { intervalSecondsMin } = scope.allowance;
  const check = await database.transaction(async (transaction) => {
    const before = await lockCheckSettings(transaction, projectId, checkId);
    if (before === null) throw new Problem('availability_check_not_found');
    const after = changedSettings(before, change);
    // A check that a smaller plan paused can still be renamed.
    if (change.intervalSeconds !== undefined && change.intervalSeconds < intervalSecondsMin) {
      throw new Problem('availability_check_interval_too_low');
    }
    await updateCheckRow(transaction, projectId, checkId, after, {
      resetsEvidence: resetsEvidence(before, after),
      movesSchedule:
        before.intervalSeconds !== after.intervalSeconds || (after.isEnabled && !before.isEnabled),
    });
    return await findCheck(transaction, scope, checkId);
  });
  if (check === null) throw new Error('an updated check is not there');
  await recordAudit(database, request, {
    ...access,
    action: 'availability_check.updated',
    actorUserId: caller.userId,
    subject: `availability_check:${checkId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return check;
}
