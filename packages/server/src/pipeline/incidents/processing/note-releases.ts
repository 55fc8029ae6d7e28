import type { Transaction } from '../../../platform/db/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { NewDeployment } from '../reading/services.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';
import { noteReleases } from './releases.queries.ts';

/** Releases that are known to be noted, by service: nearly every event names one of them. */
const REMEMBERED_MAX = 10_000;
const remembered = new Set<string>();

/**
 * The deployments that new releases are: a server names a release that its service did not have, and it had another one
 * before (docs/contract/incidents.md 5.8). Pages and apps keep old releases alive, so theirs say nothing.
 */
export async function deploymentsOfReleases(
  transaction: Transaction,
  projectId: string,
  events: readonly ServiceEvent[],
): Promise<NewDeployment[]> {
  const first = new Map<string, ServiceEvent>();
  for (const each of events) {
    const { event, isOriginBound } = each;
    if (event.release === null || isOriginBound || event.eventType.startsWith('frontend_')) continue;
    const key = keyOf(each.serviceId, event.release);
    if (remembered.has(key)) continue;
    const known = first.get(key);
    if (known === undefined || event.effectiveAtMs < known.event.effectiveAtMs) first.set(key, each);
  }
  if (first.size === 0) return [];
  const ordered = [...first.values()].sort((a, b) => a.event.effectiveAtMs - b.event.effectiveAtMs);
  const noted = await noteReleases(
    transaction,
    projectId,
    ordered.map(({ serviceId, event }) => ({
      serviceId,
      release: event.release ?? '',
      seenAtMs: event.effectiveAtMs,
    })),
  );
  const isNew = new Map(
    noted.map(({ serviceId, release, hadOthers }) => [keyOf(serviceId, release), hadOthers]),
  );
  const served = new Set<string>();
  return ordered.flatMap(({ serviceId, event }) => {
    const key = keyOf(serviceId, event.release ?? '');
    const hadOthers = isNew.get(key);
    // What was noted before is committed; what is new is remembered when it is met again.
    if (hadOthers === undefined) remember(key);
    const isFirst = hadOthers === false && !served.has(serviceId);
    served.add(serviceId);
    if (hadOthers === undefined || isFirst) return [];
    return {
      deploymentId: newUuid(),
      serviceName: event.service.name,
      environment: event.service.environment,
      version: event.release,
      commitSha: null,
      branch: null,
      deployedAtMs: event.effectiveAtMs,
      eventId: event.eventId,
      receivedAtMs: event.receivedAtMs,
      isInferred: true,
    };
  });
}

function keyOf(serviceId: string, release: string): string {
  return `${serviceId} ${release}`;
}

function remember(key: string): void {
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.add(key);
}
