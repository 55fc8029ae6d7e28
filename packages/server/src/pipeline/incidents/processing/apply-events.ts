import { signalKey } from '@culprit/evidence/events/fingerprint/client-fingerprint';
import type { EventClass } from '@culprit/evidence/events/normalize/event';
import type { ReportKey } from '@culprit/evidence/incidents/suppressed-report';
import { addWaits } from '../../../maps/late/waits.queries.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import { addReleaseDays } from '../../../releases/naming.queries.ts';
import type { Plan, PlanSettings } from '../../../workspace/billing/plan.ts';
import { planInForce } from '../../../workspace/billing/plan-in-force.ts';
import type { GroupingSettings } from '../../../workspace/projects/grouping-settings.queries.ts';
import { requestBundles } from '../../bundles/queue/request-bundles.ts';
import { collectObservations } from '../../improvements/collect-observations.ts';
import { enqueueObservations } from '../../improvements/enqueue-observations.queries.ts';
import { generatesImprovements } from '../../improvements/improvement-access.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import { eventClassCode, eventTypeCode, levelRank, libraryCode } from '../../stored-events/event-codes.ts';
import { hourKey } from '../../stored-events/hour-keys.ts';
import { mapWaits } from '../maps/map-waits.ts';
import { ownOpened } from '../ownership/own-opened.ts';
import {
  ensureServices,
  insertDeployments,
  type ObservedService,
  serviceKey,
} from '../reading/services.queries.ts';
import { accountEvents, type CountedFate } from './account-events.ts';
import { findSharingIncidents, requestContextBundles } from './attach-context.ts';
import { newReportKeys } from './attribute-suppressed.ts';
import { type ClosedDays, daysAmong } from './closed-days.ts';
import { countClients } from './count-clients.ts';
import { countSignals } from './count-signals.ts';
import { countSuppressed } from './count-suppressed.ts';
import type { CountedEvent } from './counted-event.ts';
import { changeStamps, findKnownIds, type KeptId, keepEventIds } from './event-ids.queries.ts';
import { type EventRow, insertEventRows } from './evidence.queries.ts';
import { findAnsweredCalls, incidentsOfAnswers } from './find-answered-calls.ts';
import { findDigestedFailures } from './find-digested-failures.ts';
import { findIncidentsSpokenOf } from './find-incidents-spoken-of.ts';
import { keyOf, type ServiceEvent } from './hold-groups.ts';
import type { MembersMemory } from './incident-members.ts';
import { findKnownIncidents, incidentKey } from './locked-incidents.queries.ts';
import { offerContext, offerFailures } from './make-offers.ts';
import { recordReleases } from './note-releases.ts';
import type { ProcessingProject } from './processing.queries.ts';
import type { ReadEvent } from './read-batches.ts';
import type { ReportKeyMemory } from './report-key-memory.ts';
import { keepSuppressionKeys } from './suppression.queries.ts';

/** A claim has these results, which are remembered once it is committed. */
export interface AppliedEvents {
  /** For the metrics. */
  fates: readonly CountedFate[];
  reportKeys: readonly ReportKey[];
}

/**
 * Applies the events of one project, all marked batches together, inside the transaction that marked them
 * (docs/contract/incidents.md 5). Deploys come before signals; rows are locked in sorted order.
 */
export async function applyEvents(
  transaction: Transaction,
  project: ProcessingProject,
  events: readonly ReadEvent[],
  options: {
    plans: PlanSettings;
    grouping: GroupingSettings;
    members: MembersMemory;
    reportKeys: ReportKeyMemory;
    closedDays: ClosedDays;
  },
): Promise<AppliedEvents> {
  const { projectId } = project;
  const unique = await withoutDuplicates(transaction, project, events, options.closedDays);
  const fresh = unique.filter(({ keptAway }) => keptAway === null);
  keepEventIds(transaction, projectId, unique.flatMap(keptIdOf));
  const services = await ensureServices(transaction, projectId, observedServices(fresh));
  const inServices: ServiceEvent[] = fresh.map((each) => {
    const serviceId = services.get(serviceKey(each.event.service.name, each.event.service.environment));
    if (serviceId === undefined) throw new Error('a service row is missing after it was ensured');
    // In place: what lives until the commit is marked by each collection.
    return Object.assign(each, { serviceId });
  });
  const countable = inServices.filter(isCounted);
  const calls = await findAnsweredCalls(transaction, projectId, countable, project.nowMs);
  const failures = await findDigestedFailures(transaction, projectId, countable);
  const answered = new Map([...calls, ...failures]);
  const serviceEvents = inServices.map((each) => answered.get(each)?.kept ?? each);

  const isSample = ({ sampleId }: ReadEvent) => sampleId !== null;
  const announced = deployments(fresh.filter((each) => !isSample(each)));
  // Sample data deploy, but record no releases: those belong to the project.
  const releases = await recordReleases(
    transaction,
    project,
    serviceEvents.filter((each) => !isSample(each)),
    announced,
  );
  const deploys = [...announced, ...releases.deployments, ...deployments(fresh.filter(isSample))];
  const newDeployIds = await insertDeployments(transaction, projectId, deploys);
  const signals = serviceEvents.filter(isCounted);
  const [counted, sharing] = await Promise.all([
    countSignals(transaction, projectId, signals, {
      nowMs: project.nowMs,
      rules: options.grouping.learnsSlots ? options.grouping.stackRules : null,
      stackRules: options.grouping.stackRules,
      releases,
      members: options.members,
    }),
    // Before the rows of these events are there: their own incidents need no finding.
    findSharingIncidents(transaction, projectId, serviceEvents, project.nowMs),
  ]);
  // Some of them may have been opened just now.
  const attached = new Map([
    ...(await findDemotedIncidents(transaction, serviceEvents)),
    ...(await findIncidentsSpokenOf(transaction, projectId, serviceEvents)),
    ...incidentsOfAnswers(answered, counted.incidentOf),
  ]);
  const failed = incidentsOfAnswers(failures, counted.incidentOf);
  const reportKeys = newReportKeys(counted.incidentOf, options.reportKeys, project.nowMs);
  insertEventRows(
    transaction,
    projectId,
    serviceEvents.map((each, n) =>
      eventRow(each, {
        signalKey: signalKeyOf(inServices[n] ?? each),
        incidentId: counted.incidentOf.get(each) ?? attached.get(each) ?? null,
        reportKey: reportKeys.inRows.get(each) ?? null,
      }),
    ),
  );
  keepSuppressionKeys(transaction, projectId, reportKeys.others);
  addWaits(transaction, projectId, mapWaits(counted.incidentOf));
  const suppressed = await countSuppressed(transaction, projectId, serviceEvents, project.nowMs);

  insertLifecycleEvents(transaction, [...counted.lifecycle, ...suppressed.lifecycle]);
  await ownOpened(transaction, projectId, counted.lifecycle);
  const context = await requestContextBundles(transaction, projectId, {
    sharing,
    incidentOf: counted.incidentOf,
    newDeploys: deploys.filter(({ eventId }) => newDeployIds.has(eventId)),
    spokenOf: attached,
    failed,
  });
  const requests = [...counted.bundleRequests, ...suppressed.bundleRequests, ...context];
  offerFailures(counted.offers, failed);
  await offerContext(transaction, counted.offers, sharing, serviceEvents);
  requestBundles(transaction, projectId, requests, counted.offers.bits);
  const observed = collectObservations(serviceEvents, counted.changes);
  if (observed !== null && generatesImprovements(options.plans, planOf(project, options.plans))) {
    enqueueObservations(transaction, projectId, observed);
  }
  releases.touch();
  addReleaseDays(transaction, projectId, counted.releaseDays);
  await countClients(transaction, projectId, serviceEvents);
  const fates = await accountEvents(transaction, project, events, new Set(unique), options.plans);
  return { fates, reportKeys: reportKeys.all };
}

function planOf({ planRecord, nowMs }: ProcessingProject, plans: PlanSettings): Plan {
  return planInForce(planRecord, plans, nowMs).plan;
}

/** Repetitions of an event are found for this long (docs/contract/ingestion.md 3.8). */
const KNOWN_MS = 7 * 24 * 3_600_000;

/** The first occurrence of each client event id not seen in the last 7 days, and every event without one. */
async function withoutDuplicates(
  transaction: Transaction,
  { projectId, nowMs }: ProcessingProject,
  events: readonly ReadEvent[],
  closedDays: ClosedDays,
): Promise<ReadEvent[]> {
  const firstOfId = new Map<bigint, ReadEvent>();
  for (const each of events) {
    if (each.idHash !== null && !firstOfId.has(each.idHash)) firstOfId.set(each.idHash, each);
  }
  const ids = [...firstOfId.keys()];
  const fromMs = (events[0]?.event.receivedAtMs ?? 0) - KNOWN_MS;
  const { known, closed } = await findKnownIds(
    transaction,
    projectId,
    closedDays.search(projectId, ids, fromMs),
  );
  if (ids.length > 0) closedDays.note(projectId, { closed, ids: ids.length, nowMs });
  const received = new Set([...firstOfId.values()].map(({ event }) => event.receivedAtMs));
  changeStamps(transaction, projectId, daysAmong(received, closed));
  return events.filter(
    (each) => each.idHash === null || (firstOfId.get(each.idHash) === each && !known.has(each.idHash)),
  );
}

/** The id of an event that no row will have. */
function keptIdOf({ keptAway, idHash, event }: ReadEvent): KeptId[] {
  return keptAway === null || idHash === null ? [] : [{ idHash, receivedAtMs: event.receivedAtMs }];
}

/** The key of an event as it was sent; one that shows another failure joins the incident of that. */
function signalKeyOf(each: ReadEvent): bigint {
  return isCounted(each) && each.fingerprint !== null ? signalKey(each.fingerprint.value) : 0n;
}

function observedServices(events: readonly ReadEvent[]): ObservedService[] {
  const services = new Map<string, ObservedService>();
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
    const payload = event.kept?.payload;
    if (payload?.kind !== 'deploy') return [];
    return [
      {
        deploymentId: newUuid(),
        serviceName: event.service.name,
        environment: payload.environment,
        version: payload.version,
        commitSha: payload.commitSha,
        branch: payload.branch,
        deployedAtMs: payload.deployedAtMs,
        eventId: event.eventId,
        receivedAtMs: event.receivedAtMs,
        isInferred: false,
      },
    ];
  });
}

function isCounted(each: ReadEvent): boolean {
  const { record, fingerprint, keptAway } = each;
  return (
    record.eventClass === 'incident_signal' && !record.isDemoted && fingerprint !== null && keptAway === null
  );
}

/**
 * Returns the incidents whose timeline gets events that are kept without incident: those of the same grouping key
 * (docs/contract/incidents.md 5.10).
 */
async function findDemotedIncidents(
  transaction: Transaction,
  events: readonly ServiceEvent[],
): Promise<Map<ServiceEvent, string>> {
  const demoted = events.filter((each) => each.record.isDemoted && each.fingerprint !== null);
  const known = await findKnownIncidents(transaction, demoted.map(keyOf));
  const attached = new Map<ServiceEvent, string>();
  for (const each of demoted) {
    const incidentId = known.get(incidentKey(keyOf(each)));
    if (incidentId !== undefined) attached.set(each, incidentId);
  }
  return attached;
}

function eventRow(
  each: ServiceEvent,
  {
    signalKey,
    incidentId,
    reportKey,
  }: { signalKey: bigint; incidentId: string | null; reportKey: bigint | null },
): EventRow {
  const { event, record } = each;
  const counted = isCounted(each);
  const keyIn = (hash: bigint | null) => (hash === null ? null : hourKey(hash, event.receivedAtMs));
  const eventClass: EventClass = record.isDemoted ? 'context_signal' : record.eventClass;
  return {
    service_id: each.serviceId,
    incident_id: incidentId,
    batch_id: each.batchId,
    occurred_at: event.effectiveAtMs,
    received_at: event.receivedAtMs,
    frame_offset: record.location.frameOffset,
    frame_length: record.location.frameLength,
    record_offset: record.location.recordOffset,
    library: libraryCode(event.sdk.name),
    event_type: eventTypeCode(event.eventType),
    event_class: eventClassCode(eventClass),
    level: shownLevelRank(event, counted),
    is_counted: counted,
    event_id: event.eventId,
    trace_hash: keyIn(each.hashes.trace),
    request_hash: keyIn(each.hashes.request),
    session_hash: keyIn(each.hashes.session),
    report_key: keyIn(reportKey),
    id_hash: each.idHash,
    signal_key: each.idHash === null ? null : signalKey,
  };
}

/** Rank of the level a log row shows: `error` for exceptions and failed requests that were signals (2.6). */
function shownLevelRank({ eventType, level }: CountedEvent, counted: boolean): number {
  if (level !== null) return levelRank(level);
  if (eventType === 'backend_exception' || eventType === 'frontend_exception') return levelRank('error');
  return eventType === 'request_event' && counted ? levelRank('error') : -1;
}
