import { CONTEXT_TYPES } from '@culprit/evidence/bundles/evidence/context-lookups';
import type { EventType } from '@culprit/evidence/events/normalize/event';
import type { Transaction } from '../../../platform/db/database.ts';
import type { BundleRequest } from '../../bundles/queue/request-bundles.ts';
import { keysBetween } from '../../stored-events/hour-keys.ts';
import { findIncidentsSharingIds, findIncidentsSince } from './attach-context.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';

/** The time between the receipts of context and of an occurrence in which the context asks for a new bundle. */
const TOGETHER_MS = 3_600_000;

/** An event with the hashes of its ids. */
type WithIds = Pick<ServiceEvent, 'hashes'> & {
  event: Pick<ServiceEvent['event'], 'receivedAtMs' | 'eventType'>;
};

/**
 * Incidents with an occurrence of the last hour that shares an id with these events, where a document shows events of
 * their types by that id. Exceptions of servers, most of what arrives, are shown only beside the failure of a job.
 */
export async function findSharingIncidents(
  transaction: Transaction,
  projectId: string,
  events: readonly WithIds[],
  nowMs: number,
): Promise<string[]> {
  if (events.length === 0) return [];
  let firstMs = nowMs;
  let lastMs = 0;
  for (const { event } of events) {
    firstMs = Math.min(firstMs, event.receivedAtMs);
    lastMs = Math.max(lastMs, event.receivedAtMs);
  }
  const untilMs = Math.min(lastMs + TOGETHER_MS, nowMs);
  const keysOf = (kind: 'trace' | 'request' | 'session', isShown: (type: EventType) => boolean): bigint[] =>
    distinct(events.flatMap(({ hashes, event }) => (isShown(event.eventType) ? [hashes[kind]] : []))).flatMap(
      (hash) => keysBetween(hash, firstMs - TOGETHER_MS, untilMs),
    );
  const { trace, request, session } = CONTEXT_TYPES;
  const keys = {
    traces: keysOf('trace', (type) => trace.has(type)),
    requests: keysOf('request', (type) => request.has(type)),
    sessions: keysOf('session', (type) => session.has(type)),
    tracesOfJobs: keysOf('trace', (type) => type === 'backend_exception'),
  };
  return await findIncidentsSharingIds(transaction, projectId, keys, firstMs);
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

function distinct(hashes: readonly (bigint | null)[]): bigint[] {
  return [...new Set(hashes.filter((hash) => hash !== null))];
}
