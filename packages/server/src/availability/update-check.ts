import type {
  AvailabilityCheck,
  updateAvailabilityCheck as endpoint,
} from '@culprit/contract/availability-checks';
import type { BodyOf } from '@culprit/contract/endpoint';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { changedSettings, checkChange, dropsEvidence } from './check-settings.ts';
import { findCheck, lockCheckSettings, updateCheckRow } from './checks.queries.ts';
import { type CheckPath, requireCheck } from './require-check.ts';
import { requireReachable, requireTarget } from './require-target.ts';

/**
 * Changes a check (account.md 7.2). What it asks, or how that is judged, begins without evidence when it changes.
 * @throws Problem `invalid_payload`, `blocked_target`, `project_not_found`, `availability_check_not_found`,
 * `forbidden`, `shared_access_suspended`, `availability_check_interval_too_low`
 */
export async function updateCheck(
  { database, plans, outbound }: AvailabilityRoom,
  member: Member,
  path: CheckPath,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<AvailabilityCheck> {
  const url = body.url === undefined ? undefined : requireTarget(outbound, body.url);
  const change = checkChange(url, body);
  const { access, scope, checkId } = await requireCheck(database, plans, member, path, 'admin');
  if (url !== undefined) await requireReachable(outbound, url);
  const { intervalSecondsMin } = scope.allowance;
  const check = await database.transaction(async (transaction) => {
    const before = await lockCheckSettings(transaction, scope.projectId, checkId);
    if (before === null) throw new Problem('availability_check_not_found');
    const after = changedSettings(before, change);
    // A check that a smaller plan paused can still be renamed.
    if (change.intervalSeconds !== undefined && change.intervalSeconds < intervalSecondsMin) {
      throw new Problem('availability_check_interval_too_low');
    }
    await updateCheckRow(transaction, scope.projectId, checkId, after, {
      dropsEvidence: dropsEvidence(before, after),
      movesSchedule:
        before.intervalSeconds !== after.intervalSeconds || (after.isEnabled && !before.isEnabled),
    });
    return await findCheck(transaction, scope, checkId);
  });
  if (check === null) throw new Error('an updated check is not there');
  await recordAudit(database, request, {
    action: 'availability_check.updated',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: `availability_check:${checkId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return check;
}
