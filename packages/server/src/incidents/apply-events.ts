import { crc32 } from 'node:zlib';
import type { Plan, PlanSettings } from '../billing/plan.ts';
import { planInForce } from '../billing/plan-in-force.ts';
import { requestBundles } from '../bundles/request-bundles.ts';
import type { EventClass, NormalizedEvent } from '../events/event.ts';
import { eventClassCode, eventTypeCode, levelRank } from '../events/event-codes.ts';
import { collectObservations } from '../improvements/collect-observations.ts';
import { handOverObservations } from '../improvements/hand-over.queries.ts';
import { generatesImprovements } from '../improvements/improvement-access.ts';
import { insertLifecycleEvents } from '../lifecycle/lifecycle.queries.ts';
import type { Queryable } from '../platform/db/database.ts';
import { newUuid } from '../platform/ids.ts';
import { accountEvents, type CountedFate } from './account-events.ts';
import { findSharingIncidents, requestContextBundles } from './attach-context.ts';
import { countSignals } from './count-signals.ts';
import { countSuppressed } from './count-suppressed.ts';
import { type EventRow, insertEventRows } from './evidence.queries.ts';
import { findIncidentIds, incidentKey } from './held-incidents.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';
import { offerContext } from './make-offers.ts';
import { claimEventIds, findProcessingProject, type ProcessingProject } from './processing.queries.ts';
import type { ReadEvent } from './read-batches.ts';
import { ensureServices, insertDeployments, type ServiceSighting, serviceKey } from './services.queries.ts';

/** What an event turned out to be; each has exactly one fate. */
export type WorkerFate = 'processed' | 'demoted' | 'duplicate';

/** What a transaction did, for the metrics, which count it once it is committed. */
export interface AppliedEvents {
  fates: readonly CountedFate[];
  /** The database clock as it was read, and the monotonic clock of this thread at that moment. */
  nowMs: number;
  readAtMs: number;
}

/**
 * Applies the events of one project, all marked batches together, inside the transaction that marked them
 * (incidents.md 5). Deploys come before signals; rows are locked in sorted order. Null: there was nothing to apply.
 */
export async function applyEvents(
  transaction: Queryable,
  projectId: string,
  events: readonly ReadEvent[],
  options: { plans: PlanSettings; intervalFactor: number },
): Promise<AppliedEvents | null> {
  const project = await findProcessingProject(transaction, projectId);
  const readAtMs = performance.now();
  if (project === null || events.length === 0) return null;

  const fresh = await withoutDuplicates(transaction, projectId, events);
  const services = await ensureServices(transaction, projectId, sightings(fresh));
  const serviceEvents: ServiceEvent[] = fresh.map((each) => {
    const serviceId = services.get(serviceKey(each.event.service.name, each.event.service.environment));
    if (serviceId === undefined) throw new Error('a service row is missing after it was ensured');
    return { ...each, serviceId };
  });

  const newDeploys = await insertDeployments(transaction, projectId, deployments(fresh));
  const signals = serviceEvents.filter((each) => isCounted(each));
  const counted = await countSignals(transaction, projectId, signals, project.nowMs);
  const attached = await findDemotedIncidents(transaction, serviceEvents);
  // Before the rows of these events are there: their own incidents need no finding.
  const sharing = await findSharingIncidents(transaction, projectId, serviceEvents, project.nowMs);
  await insertEventRows(
    transaction,
    projectId,
    serviceEvents.map((each) => eventRow(each, counted.incidentOf.get(each) ?? attached.get(each) ?? null)),
  );
  const suppressed = await countSuppressed(transaction, projectId, serviceEvents, project.nowMs);

  await insertLifecycleEvents(transaction, [...counted.lifecycle, ...suppressed.lifecycle]);
  const context = await requestContextBundles(transaction, projectId, serviceEvents, {
    sharing,
    incidentOf: counted.incidentOf,
    newDeploys,
  });
  const requests = [...counted.bundleRequests, ...suppressed.bundleRequests, ...context];
  await offerContext(transaction, counted.offers, sharing, serviceEvents);
  await requestBundles(transaction, projectId, requests, options.intervalFactor, counted.offers.bits);
  const observed = collectObservations(serviceEvents, counted.changes);
  if (observed !== null && generatesImprovements(options.plans, planOf(project, options.plans))) {
    await handOverObservations(transaction, projectId, observed);
  }
  const fates = await accountEvents(transaction, project, projectId, events, new Set(fresh), options.plans);
  return { fates, nowMs: project.nowMs, readAtMs };
}

function planOf({ planRecord, nowMs }: ProcessingProject, plans: PlanSettings): Plan {
  return planInForce(planRecord, plans, nowMs).plan;
}

/** The first occurrence of each client event id not seen in the last 7 days, and every event without one. */
async function withoutDuplicates(
  transaction: Queryable,
  projectId: string,
  events: readonly ReadEvent[],
): Promise<ReadEvent[]> {
  const firstOfId = new Map<bigint, ReadEvent>();
  for (const each of events) {
    if (each.idHash !== null && !firstOfId.has(each.idHash)) firstOfId.set(each.idHash, each);
  }
  const receivedAtMs = events[0]?.event.receivedAtMs ?? 0;
  const isNew = await claimEventIds(transaction, projectId, [...firstOfId.keys()], receivedAtMs);
  return events.filter(
    (each) => each.idHash === null || (firstOfId.get(each.idHash) === each && isNew.has(each.idHash)),
  );
}

function sightings(events: readonly ReadEvent[]): ServiceSighting[] {
  const services = new Map<string, ServiceSighting>();
  for (const { event } of events) {
    const { name, environment, runtime, framework } = event.service;
    const key = serviceKey(name, environment);
    const known = services.get(key);
    if (known === undefined) {
      services.set(key, {
        name,
        environment,
        runtime,
        framework,
        seenAtMs: event.receivedAtMs,
        serviceId: newUuid(),
      });
    } else {
      known.runtime = runtime ?? known.runtime;
      known.framework = framework ?? known.framework;
      known.seenAtMs = Math.max(known.seenAtMs, event.receivedAtMs);
    }
  }
  return [...services.values()];
}

function deployments(events: readonly ReadEvent[]) {
  return events.flatMap(({ event }) => {
    if (event.payload.kind !== 'deploy') return [];
    return [
      {
        deploymentId: newUuid(),
        serviceName: event.service.name,
        environment: event.payload.environment,
        version: event.payload.version,
        commitSha: event.payload.commitSha,
        branch: event.payload.branch,
        deployedAtMs: event.payload.deployedAtMs,
        eventId: event.eventId,
        receivedAtMs: event.receivedAtMs,
      },
    ];
  });
}

function isCounted(each: ReadEvent): boolean {
  return each.record.eventClass === 'incident_signal' && !each.record.isDemoted && each.fingerprint !== null;
}

/** The incidents whose timeline demoted events join: those of the same grouping key (incidents.md 5.10). */
async function findDemotedIncidents(
  transaction: Queryable,
  events: readonly ServiceEvent[],
): Promise<Map<ServiceEvent, string>> {
  const demoted = events.filter((each) => each.record.isDemoted && each.fingerprint !== null);
  const keys = demoted.map((each) => ({
    serviceId: each.serviceId,
    fingerprint: each.fingerprint?.value ?? '',
  }));
  const known = await findIncidentIds(transaction, keys);
  const attached = new Map<ServiceEvent, string>();
  for (const each of demoted) {
    const incidentId = known.get(incidentKey(each.serviceId, each.fingerprint?.value ?? ''));
    if (incidentId !== undefined) attached.set(each, incidentId);
  }
  return attached;
}

function eventRow(each: ServiceEvent, incidentId: string | null): EventRow {
  const { event, record } = each;
  const counted = isCounted(each);
  const eventClass: EventClass = record.isDemoted ? 'context_signal' : record.eventClass;
  return {
    service_id: each.serviceId,
    incident_id: incidentId,
    batch_id: each.batchId,
    occurred_at: new Date(event.effectiveAtMs).toISOString(),
    received_at: new Date(event.receivedAtMs).toISOString(),
    frame_offset: record.location.frameOffset,
    frame_length: record.location.frameLength,
    record_offset: record.location.recordOffset,
    library: libraryCode(event),
    event_type: eventTypeCode(event.eventType),
    event_class: eventClassCode(eventClass),
    level: shownLevelRank(event, counted),
    is_counted: counted,
    event_id: event.eventId,
    trace_hash: each.hashes.trace,
    request_hash: each.hashes.request,
    session_hash: each.hashes.session,
  };
}

/** A number for the library's name that fits the signed column. */
export function libraryCode(event: NormalizedEvent): number {
  return crc32(event.sdk.name) | 0;
}

/** Rank of the level a log row shows: `error` for exceptions and failed requests that were signals (2.6). */
function shownLevelRank(event: NormalizedEvent, counted: boolean): number {
  if (event.payload.kind === 'log') return levelRank(event.payload.level);
  if (event.payload.kind === 'exception') return levelRank('error');
  return event.payload.kind === 'request' && counted ? levelRank('error') : -1;
}
