import type { AlertDelivery, testAlert as endpoint } from '@culprit/contract/alerts/alert-deliveries';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { readClock } from '../../platform/db/read-clock.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid, prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { limitSentMail } from '../../workspace/accounts/sent-mail-rate.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { consumeAllowance } from '../../workspace/billing/take-allowance.ts';
import { addProjectUsage } from '../../workspace/projects/project-usage.queries.ts';
import { dropUnwanted, insertPlan } from './alert-deliveries.queries.ts';
import { findDeliveryRecord } from './alert-delivery-records.queries.ts';
import { NO_INCIDENT } from './alert-facts.ts';
import { lockRule } from './alert-rules.queries.ts';
import type { Match } from './match-rules.ts';

const METER = 'monthly_alert_deliveries';

/**
 * Queues a message about an incident that does not exist, on the way that real ones go.
 * @throws Problem `alert_not_found` when the rule was deleted in the same moment, `rate_limited`, `monthly_quota_exceeded`
 */
export async function testAlert(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<AlertDelivery> {
  const { database, plans, signIn } = runtime;
  const { access, caller } = request;
  const { projectId, organizationId, recordId: alertId } = access;
  const alertDeliveryId = newUuid();
  const delivery = await database.transaction(async (transaction) => {
    const rule = await lockRule(transaction, projectId, alertId);
    if (rule === null) throw new Problem('alert_not_found');
    const nowMs = await readClock(transaction);
    const match: Match = {
      rule: { ...rule, alertId, isJudgedLate: false },
      transition: testTransition(projectId, formatTimestamp(nowMs)),
      notificationKey: `test:${alertDeliveryId}`,
      dedupeKey: `test:${alertDeliveryId}`,
    };
    const messageId = newUuid();
    const isUnsendable = rule.channel === 'email' && signIn.mailTransport === 'off';
    await insertPlan(transaction, projectId, {
      messages: [{ messageId, match, isUnsendable }],
      deliveries: [{ alertDeliveryId, messageId, match }],
    });
    await dropUnwanted(transaction, alertId);
    const made = await findDeliveryRecord(transaction, alertDeliveryId);
    if (made === null) throw new Error('a test delivery was not written');
    if (made.status === 'failed') return made;
    const to = rule.config?.to;
    if (to !== undefined) await limitSentMail(transaction, runtime, { userId: caller.userId, to });
    addProjectUsage(transaction, projectId, METER, 1);
    // Last, because the counter is shared by the whole organization.
    const allowance = await consumeAllowance(transaction, plans, organizationId, METER);
    if (!allowance.granted) {
      throw new Problem('monthly_quota_exceeded', { retryAfterSeconds: allowance.retryAfterSeconds });
    }
    return made;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'alert.tested',
    actorUserId: caller.userId,
    subject: `alert:${delivery.alert_id}`,
  });
  return delivery;
}

function testTransition(projectId: string, at: string): Match['transition'] {
  return {
    lifecycle: 'new_incident',
    lifecycleId: 0,
    incidentId: NO_INCIDENT,
    serviceId: NO_INCIDENT,
    fingerprint: '0'.repeat(64),
    isOpaqueWindowError: false,
    regressionNumber: 0,
    spikeDetectedAt: null,
    alertId: null,
    facts: {
      lifecycle: 'new_incident',
      triggeredAt: at,
      projectId: prefixedId('proj', projectId),
      projectName: 'Test',
      incident: {
        incidentId: prefixedId('inc', NO_INCIDENT),
        shortId: null,
        bundleId: prefixedId('bun', NO_INCIDENT),
        title: 'Test of an alert rule',
        description: 'A test of the alert rule; nothing has failed',
        kind: 'error_log',
        severity: 'low',
        status: 'open',
        serviceId: NO_INCIDENT,
        serviceName: 'test',
        environment: 'test',
        occurrenceCount: 1,
        firstSeenAt: at,
        lastSeenAt: at,
      },
      release: null,
      spike: null,
      deploy: null,
    },
  };
}
