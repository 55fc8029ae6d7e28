import { randomUUID } from 'node:crypto';
import {
  type activateProbe as endpoint,
  PROBE_TTL_SECONDS_DEFAULT,
  type ProbeActivation,
} from '@culprit/contract/capture/probes';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { consumeAllowance } from '../workspace/billing/take-allowance.ts';
import { allowsRemoteProbes } from './allows-remote-probes.ts';
import { labelPatternFault } from './label-pattern.ts';
import { ACTIVE_PROBES_MAX, probeActivationOf } from './probe-activation.ts';
import { insertActivation, lockProjectAndCountActive } from './probes.queries.ts';
import { signTriggerToken, triggerTokenKey } from './trigger-token.ts';

/** The one answer to an activation; the tokens are not stored. */
interface NewActivation {
  activation: ProbeActivation;
  trigger_token: string;
  compat_trigger_token: string;
}

/** Refuses a pattern that libraries would read differently. @throws Problem `invalid_payload` */
export function checkLabelPattern({ body }: { body: BodyOf<typeof endpoint> }): void {
  const fault = labelPatternFault(body.label_pattern);
  if (fault !== null) throw new Problem('invalid_payload', { reason: `/label_pattern: ${fault}` });
}

/**
 * Activates a remote probe (docs/contract/ingestion.md 6.1). Limit and allowance are exact for any number of concurrent
 * calls.
 * @throws Problem `upgrade_required`, `project_not_found` when it was deleted, `probe_limit_reached`,
 * `monthly_quota_exceeded`
 */
export async function activateProbe(
  { database, plans, keys }: Runtime,
  request: ApiRequest<typeof endpoint, void>,
): Promise<NewActivation> {
  const { access, caller, body } = request;
  if (!allowsRemoteProbes(plans, access.plan)) throw new Problem('upgrade_required');
  const ttlSeconds = body.ttl_seconds ?? PROBE_TTL_SECONDS_DEFAULT;

  const row = await database.transaction(async (transaction) => {
    const active = await lockProjectAndCountActive(transaction, access.projectId);
    if (active === null) throw new Problem('project_not_found');
    if (active >= ACTIVE_PROBES_MAX) throw new Problem('probe_limit_reached');
    const inserted = await insertActivation(transaction, {
      // Not time-ordered like our other ids: published libraries check it, and some know no newer version than 4.
      activationId: randomUUID(),
      projectId: access.projectId,
      labelPattern: body.label_pattern,
      service: body.service ?? '*',
      environment: body.environment ?? '*',
      sampleRate: body.sample_rate ?? 1,
      activatedByUserId: caller.userId,
      ttlSeconds,
      triggerTtlSeconds: body.trigger_ttl_seconds ?? ttlSeconds,
    });
    // Last, because the counter is shared by the whole organization.
    const allowance = await consumeAllowance(
      transaction,
      plans,
      access.organizationId,
      'monthly_remote_activations',
    );
    if (!allowance.granted) {
      throw new Problem('monthly_quota_exceeded', { retryAfterSeconds: allowance.retryAfterSeconds });
    }
    return inserted;
  });

  const activation = probeActivationOf(row);
  await recordAudit(database, request, {
    ...access,
    action: 'probe.activated',
    actorUserId: caller.userId,
    subject: `probe:${activation.activation_id}`,
  });
  const { label_pattern, service, environment, trigger_expires_at } = activation;
  return {
    activation,
    ...signTriggerToken(triggerTokenKey(keys.probeTriggers.reveal(), access.projectId), {
      activation_id: row.activation_id,
      label_pattern,
      service,
      environment,
      trigger_expires_at,
    }),
  };
}
