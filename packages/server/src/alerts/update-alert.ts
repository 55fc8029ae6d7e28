import type { Alert, updateAlert as endpoint } from '@culprit/contract/alerts';
import type { BodyOf } from '@culprit/contract/endpoint';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { requireTarget } from '../platform/outbound/require-target.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { dropUnwanted } from './alert-deliveries.queries.ts';
import { changedAlertRule, checkedConfig, lacksConfig } from './alert-rule.ts';
import { lockRule, updateRuleRow } from './alert-rules.queries.ts';
import type { AlertsRoom } from './alerts.routes.ts';
import { findNamed } from './find-named.ts';
import { requireAlert } from './require-alert.ts';

/**
 * Changes an alert rule (notifications.md 1.6). Messages that wait are not sent any more once the rule is disabled, has
 * another channel or another mail address; they go to a new address of the same chat or webhook channel.
 * @throws Problem `invalid_payload`, `blocked_target`, `alert_not_found`, `shared_access_suspended`,
 * `service_not_found`, `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function updateAlert(
  room: AlertsRoom,
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Alert> {
  const { database, plans, outbound } = room;
  const { channel, config: asked = null } = body;
  if (body.config !== undefined && channel === undefined) throw new Problem('invalid_payload');
  const config =
    asked === null || channel === undefined
      ? null
      : checkedConfig(channel, asked, (url) => requireTarget(outbound, url));
  const access = await requireAlert(database, plans, member, id);
  const { alertId, projectId } = access;
  const alert = await database.transaction(async (transaction) => {
    const rule = await lockRule(transaction, projectId, alertId);
    if (rule === null) throw new Problem('alert_not_found');
    if (lacksConfig(rule, body)) throw new Problem('invalid_payload');
    const found = await findNamed(transaction, room, access, { serviceId: body.service_id, config });
    const changed = changedAlertRule(rule, body, found);
    const updated = await updateRuleRow(transaction, projectId, alertId, changed);
    await dropUnwanted(transaction, alertId);
    return updated;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.updated',
    actorUserId: member.userId,
    subject: `alert:${alert.alert_id}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return alert;
}
