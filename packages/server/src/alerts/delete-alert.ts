import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { prefixedId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { dropUnwanted } from './alert-deliveries.queries.ts';
import { deleteRuleRow } from './alert-rules.queries.ts';
import type { AlertsRoom } from './alerts.routes.ts';
import { requireAlert } from './require-alert.ts';

/**
 * Deletes an alert rule. Its deliveries stay for what they told; messages that wait are not sent any more.
 * @throws Problem `alert_not_found`, `shared_access_suspended`
 */
export async function deleteAlert(
  { database, plans }: AlertsRoom,
  member: Member,
  id: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const access = await requireAlert(database, plans, member, id);
  const { alertId, projectId } = access;
  await database.transaction(async (transaction) => {
    if (!(await deleteRuleRow(transaction, projectId, alertId))) throw new Problem('alert_not_found');
    await dropUnwanted(transaction, alertId);
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.deleted',
    actorUserId: member.userId,
    subject: `alert:${prefixedId('alt', alertId)}`,
  });
}
