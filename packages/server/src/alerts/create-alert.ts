import type { Alert, createAlert as endpoint } from '@culprit/contract/alerts';
import type { BodyOf } from '@culprit/contract/endpoint';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { requireTarget } from '../platform/outbound/require-target.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { ALERT_RULES_MAX, checkedConfig, newAlertRule } from './alert-rule.ts';
import { insertRule, lockProjectAndCountRules } from './alert-rules.queries.ts';
import type { AlertsRoom } from './alerts.routes.ts';
import { findNamed } from './find-named.ts';

/**
 * Makes an alert rule (notifications.md 1.3).
 * @throws Problem `invalid_payload`, `blocked_target`, `project_not_found`, `shared_access_suspended`,
 * `service_not_found`, `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`,
 * `resource_limit_reached`
 */
export async function createAlert(
  room: AlertsRoom,
  member: Member,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Alert> {
  const { database, plans, outbound } = room;
  const config = checkedConfig(body.channel, body.config, (url) => requireTarget(outbound, url));
  const access = await requireProject(database, plans, member.userId, body.project_id);
  const { projectId } = access;
  const alert = await database.transaction(async (transaction) => {
    const rules = await lockProjectAndCountRules(transaction, projectId);
    if (rules === null) throw new Problem('project_not_found');
    const found = await findNamed(transaction, room, access, { serviceId: body.service_id, config });
    if (rules >= ALERT_RULES_MAX) throw new Problem('resource_limit_reached');
    const ids = { alertId: newUuid(), projectId, createdByUserId: member.userId };
    return await insertRule(transaction, ids, newAlertRule(body, found));
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.created',
    actorUserId: member.userId,
    subject: `alert:${alert.alert_id}`,
    data: { channel: alert.channel, condition: alert.condition_type },
  });
  return alert;
}
