import type { Alert, AlertConfig, createAlert as endpoint } from '@culprit/contract/alerts/alerts';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import {
  ALERT_RULES_MAX,
  checkedConfig,
  newAlertRule,
  requireOneOfServices,
  requireQuery,
} from './alert-rule.ts';
import { insertRule, lockProjectAndCountRules } from './alert-rules.queries.ts';
import { thresholdOf } from './alert-threshold.ts';
import { resolveReferences } from './resolve-references.ts';

/**
 * Returns the config of a new rule in its stored form.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkNewAlert(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): AlertConfig {
  requireOneOfServices(body.services, body.service_id);
  requireQuery(body.query);
  thresholdOf(body.condition_type, body);
  return checkedConfig(body.channel, body.config, (...address) => requireTarget(outbound, ...address));
}

/**
 * Creates an alert rule (docs/contract/notifications.md 1.3).
 * @throws Problem `project_not_found` when it was deleted, `service_not_found`, `slack_destination_not_found`,
 * `upgrade_required`, `slack_not_configured`, `resource_limit_reached`
 */
export async function createAlert(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, AlertConfig>,
): Promise<Alert> {
  const { database, keys } = runtime;
  const { access, caller, body, checked: config } = request;
  const { projectId } = access;
  const alert = await database.transaction(async (transaction) => {
    const rules = await lockProjectAndCountRules(transaction, projectId);
    if (rules === null) throw new Problem('project_not_found');
    const found = await resolveReferences(transaction, runtime, access, {
      serviceId: body.service_id,
      config,
    });
    if (rules >= ALERT_RULES_MAX) throw new Problem('resource_limit_reached');
    const ids = { alertId: newUuid(), projectId, createdByUserId: caller.userId };
    return await insertRule(transaction, keys.receiverAddresses, ids, newAlertRule(body, found));
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.created',
    actorUserId: caller.userId,
    subject: `alert:${alert.alert_id}`,
    data: { channel: alert.channel, condition: alert.condition_type },
  });
  return alert;
}
