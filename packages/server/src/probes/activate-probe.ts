import { randomUUID } from 'node:crypto';
import {
  type ActivationRequest,
  PROBE_TTL_SECONDS_DEFAULT,
  type ProbeActivation,
} from '@culprit/contract/probes';
import { recordAudit } from '../audit/record-audit.ts';
import { takeAllowance } from '../billing/take-allowance.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { ACTIVE_PROBES_MAX, probeActivationOf } from './probe-activation.ts';
import { insertActivation, lockProjectAndCountActive } from './probes.queries.ts';
import type { ProbesRoom } from './probes.routes.ts';
import { areRemoteProbesOpen } from './remote-probes-open.ts';
import { signTriggerToken, triggerTokenKey } from './trigger-token.ts';

/** What the one answer to an activation tells; the tokens are kept nowhere. */
export interface NewActivation {
  activation: ProbeActivation;
  trigger_token: string;
  compat_trigger_token: string;
}

/**
 * Switches a remote probe on (ingestion.md 6.1). Limit and allowance are exact, however many activate at once.
 * @throws Problem `project_not_found`, `shared_access_suspended`, `upgrade_required`, `probe_limit_reached`,
 * `monthly_quota_exceeded`
 */
export async function activateProbe(
  room: ProbesRoom,
  member: Member,
  projectId: string,
  request: ActivationRequest,
  context: RequestContext,
): Promise<NewActivation> {
  const { database, plans } = room;
  const access = await requireProject(database, plans, member.userId, projectId);
  if (!areRemoteProbesOpen(plans, access.plan)) throw new Problem('upgrade_required');
  const ttlSeconds = request.ttl_seconds ?? PROBE_TTL_SECONDS_DEFAULT;

  const row = await database.transaction(async (transaction) => {
    const active = await lockProjectAndCountActive(transaction, access.projectId);
    if (active === null) throw new Problem('project_not_found');
    if (active >= ACTIVE_PROBES_MAX) throw new Problem('probe_limit_reached');
    const inserted = await insertActivation(transaction, {
      // Not time-ordered like our other ids: published libraries check it, and some know no newer version than 4.
      activationId: randomUUID(),
      projectId: access.projectId,
      labelPattern: request.label_pattern,
      service: request.service ?? '*',
      environment: request.environment ?? '*',
      sampleRate: request.sample_rate ?? 1,
      activatedByUserId: member.userId,
      ttlSeconds,
      triggerTtlSeconds: request.trigger_ttl_seconds ?? ttlSeconds,
    });
    // Last, because the counter is shared by the whole organization.
    const allowance = await takeAllowance(
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
  await recordAudit(database, context, {
    action: 'probe.activated',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: `probe:${activation.activation_id}`,
  });
  const { label_pattern, service, environment, trigger_expires_at } = activation;
  return {
    activation,
    ...signTriggerToken(triggerTokenKey(room.triggerSecret.reveal(), access.projectId), {
      activation_id: row.activation_id,
      label_pattern,
      service,
      environment,
      trigger_expires_at,
    }),
  };
}
