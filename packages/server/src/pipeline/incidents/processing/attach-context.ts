import type { Transaction } from '../../../platform/db/database.ts';
import type { BundleRequest } from '../../bundles/queue/request-bundles.ts';
import { findIncidentsSharingIds, findIncidentsSince } from './attach-context.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';

/** Incidents seen in the last 24 hours that share a trace, request or session id with these events. */
export async function findSharingIncidents(
  transaction: Transaction,
  projectId: string,
  events: readonly ServiceEvent[],
  nowMs: number,
): Promise<string[]> {
  const hashes = {
    traces: distinct(events.map((each) => each.hashes.trace)),
    requests: distinct(events.map((each) => each.hashes.request)),
    sessions: distinct(events.map((each) => each.hashes.session)),
  };
  return await findIncidentsSharingIds(transaction, projectId, hashes, nowMs);
}

/**
 * Asks for a refresh of the bundles that can show these events as context: incidents that share a trace, request or
 * session id, and incidents that a deploy concerns (docs/contract/incidents.md 3.9). Neighbours in time trigger
 * nothing.
 */
export async function requestContextBundles(
  transaction: Transaction,
  projectId: string,
  outcome: {
    /** The result of `findSharingIncidents`. */
    sharing: readonly string[];
    incidentOf: ReadonlyMap<ServiceEvent, string>;
    /** Deployments that were not known before. */
    newDeploys: readonly { serviceName: string; environment: string; deployedAtMs: number }[];
    /** The feedback of users about incidents, and events that join one without being counted. */
    spokenOf: ReadonlyMap<ServiceEvent, string>;
    /** Exceptions of pages that show a failure of their server, with its incident. */
    failed: readonly [ServiceEvent, string][];
  },
): Promise<BundleRequest[]> {
  const own = new Set(outcome.incidentOf.values());
  const requests: BundleRequest[] = outcome.sharing
    .filter((incidentId) => !own.has(incidentId))
    .map((incidentId) => ({ incidentId, trigger: 'context' }));
  for (const [{ event }, incidentId] of outcome.spokenOf) {
    if (event.aboutEventId !== null) requests.push({ incidentId, trigger: 'context' });
  }
  for (const [, incidentId] of outcome.failed) {
    if (!own.has(incidentId)) requests.push({ incidentId, trigger: 'context' });
  }
  for (const { serviceName: name, environment, deployedAtMs } of outcome.newDeploys) {
    // The deploy's own environment counts, which can differ from that of the service that reported it.
    const deployed = { projectId, name, environment };
    for (const incidentId of await findIncidentsSince(transaction, deployed, deployedAtMs)) {
      requests.push({ incidentId, trigger: 'deploy' });
    }
  }
  return requests;
}

function distinct(hashes: readonly (bigint | null)[]): string[] {
  return [...new Set(hashes.filter((hash) => hash !== null))].map(String);
}
