import type { deleteAlert as endpoint } from '@culprit/contract/alerts/alerts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { dropUnwanted } from './alert-deliveries.queries.ts';
import { deleteRuleRow } from './alert-rules.queries.ts';

/**
 * Deletes an alert rule. Its deliveries stay as a record of what was sent; messages that wait are no longer sent.
 * @throws Problem `alert_not_found` when it was deleted in the meantime
 */
export async function deleteAlert(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  const { recordId: alertId, projectId } = access;
  await database.transaction(async (transaction) => {
    if (!(await deleteRuleRow(transaction, projectId, alertId))) throw new Problem('alert_not_found');
    await dropUnwanted(transaction, alertId);
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.deleted',
    actorUserId: caller.userId,
    subject: `alert:${prefixedId('alt', alertId)}`,
  });
}
