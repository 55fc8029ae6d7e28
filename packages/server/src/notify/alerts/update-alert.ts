import type { Alert, AlertConfig, updateAlert as endpoint } from '@culprit/contract/alerts/alerts';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { dropUnwanted } from './alert-deliveries.queries.ts';
import {
  changedAlertRule,
  checkedConfig,
  lacksConfig,
  requireOneOfServices,
  requireQuery,
} from './alert-rule.ts';
import { lockRule, updateRuleRow } from './alert-rules.queries.ts';
import { resolveReferences } from './resolve-references.ts';

/**
 * Returns the config of a change in its stored form; null for none.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkAlertChange(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): AlertConfig | null {
  const { channel, config } = body;
  requireOneOfServices(body.services, body.service_id);
  requireQuery(body.query);
  if (config !== undefined && channel === undefined)
    throw invalidPayload('/channel', 'is missing beside config');
  if (config === undefined || config === null || channel === undefined) return null;
  return checkedConfig(channel, config, (...address) => requireTarget(outbound, ...address));
}

/**
 * Changes an alert rule (docs/contract/notifications.md 1.6). If the rule becomes disabled or gets another channel or
 * another mail address, waiting messages are no longer sent; they go to a new address of the same chat or webhook
 * channel.
 * @throws Problem `invalid_payload`, `alert_not_found` when it was deleted in the meantime, `service_not_found`,
 * `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function updateAlert(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, AlertConfig | null>,
): Promise<Alert> {
  const { database, keys } = runtime;
  const { access, caller, body, checked: config } = request;
  const { recordId: alertId, projectId } = access;
  const alert = await database.transaction(async (transaction) => {
    const rule = await lockRule(transaction, projectId, alertId);
    if (rule === null) throw new Problem('alert_not_found');
    if (lacksConfig(rule, body)) throw invalidPayload('/config', 'is missing for the new channel');
    const found = await resolveReferences(transaction, runtime, access, {
      serviceId: body.service_id,
      config,
    });
    const changed = changedAlertRule(rule, body, found);
    requireOneOfServices(changed.services, changed.serviceId);
    const updated = await updateRuleRow(transaction, keys.receiverAddresses, projectId, alertId, changed);
    await dropUnwanted(transaction, alertId);
    return updated;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.updated',
    actorUserId: caller.userId,
    subject: `alert:${alert.alert_id}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return alert;
}
