import type { DeploymentEvidence } from '../bundles/evidence/bundle-evidence.ts';
import { compareText } from '../bundles/evidence/choose-evidence.ts';
import type { NormalizedEvent } from '../events/normalize/event.ts';

/** The deployments that events reported, by service and environment. */
export interface LocalDeployments {
  /** Ignores events of other kinds and deployments that are known already. */
  add(event: NormalizedEvent): void;
  /** Newest first. */
  of(serviceName: string, environment: string): readonly DeploymentEvidence[];
}

export function createLocalDeployments(): LocalDeployments {
  const byService = new Map<string, DeploymentEvidence[]>();
  return {
    add({ payload, service, receivedAtMs }) {
      if (payload.kind !== 'deploy') return;
      // The deploy's own environment counts, which can differ from that of the service that reported it.
      const key = serviceKey(service.name, payload.environment);
      const known = byService.get(key) ?? [];
      const { version, commitSha, branch, deployedAtMs } = payload;
      const isKnown = known.some(
        (each) =>
          each.version === version && each.commitSha === commitSha && each.deployedAtMs === deployedAtMs,
      );
      if (isKnown) return;
      known.push({ version, commitSha, branch, deployedAtMs, receivedAtMs });
      known.sort((a, b) => b.deployedAtMs - a.deployedAtMs || compareText(b.version ?? '', a.version ?? ''));
      byService.set(key, known);
    },
    of: (serviceName, environment) => byService.get(serviceKey(serviceName, environment)) ?? [],
  };
}

function serviceKey(name: string, environment: string): string {
  return `${name}\u0000${environment}`;
}
