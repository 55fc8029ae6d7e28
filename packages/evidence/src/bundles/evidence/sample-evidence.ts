import type { Fingerprint } from '../../events/fingerprint/sealed-fingerprint.ts';
import type { NormalizedEvent } from '../../events/normalize/event.ts';
import type { DeploymentEvidence, SampleEvidence } from './bundle-evidence.ts';

/**
 * A sampled occurrence as bundles use it.
 * @param deployments of its service and environment, newest first
 */
export function sampleEvidence(
  event: NormalizedEvent,
  kept: Pick<SampleEvidence, 'severity' | 'roles'>,
  fingerprint: Pick<Fingerprint, 'chain' | 'applicationFrame'> | null,
  deployments: readonly DeploymentEvidence[],
): SampleEvidence {
  return {
    event,
    severity: kept.severity,
    roles: kept.roles,
    chain: fingerprint?.chain ?? [],
    applicationFrame: fingerprint?.applicationFrame ?? null,
    deployVersion: deployments.find((each) => each.deployedAtMs <= event.effectiveAtMs)?.version ?? null,
  };
}
