import { eventRichness } from '../events/normalize/event-richness.ts';
import { hasRequest } from '../events/normalize/http-presence.ts';
import { SEVERITIES } from '../events/normalize/severity.ts';
import { identifierHash } from '../events/redact/identifier-hash.ts';
import {
  addSuppressed,
  advanceIncident,
  type Occurrence,
  resolveIncident,
} from '../incidents/incident-state.ts';
import { chooseSampleRoles } from '../incidents/sample-roles.ts';
import { signalSource } from '../incidents/source-trust.ts';
import { countMinutes, detectSpike, judgeSpikes, MINUTES_KEPT, minuteIndex } from '../incidents/spike.ts';
import { spreadEvenly } from '../incidents/suppressed-report.ts';
import type { AcceptedEvent } from './accept-events.ts';
import type { LocalReport, ReportIndex } from './attribute-reports.ts';
import type { ContextIndex } from './context-index.ts';
import type { LocalDeployments } from './local-deployments.ts';
import { groupingKey, type LocalIncident, newLocalIncident } from './local-incident.ts';

/** Everything that is remembered while files are read. */
export interface LocalLedger {
  /** By `groupingKey`, in the order in which they were opened. */
  incidents: Map<string, LocalIncident>;
  deployments: LocalDeployments;
  context: ContextIndex;
  reports: ReportIndex;
  /** The times when incidents were resolved by hand, by `inc_…`. */
  resolvedAtMs: ReadonlyMap<string, number>;
}

interface SignalGroup {
  incident: LocalIncident;
  isNew: boolean;
  signals: readonly AcceptedEvent[];
}

/**
 * Applies the events of one file, as the server applies a batch: deploys, signals, then reports of suppressed repeats.
 * @param events those that were not counted before
 */
export function countFile(ledger: LocalLedger, events: readonly AcceptedEvent[], file: number): void {
  for (const { judged } of events) ledger.deployments.add(judged.event);
  const incidentOf = new Map<AcceptedEvent, LocalIncident>();
  for (const group of groupSignals(ledger, events)) {
    for (const signal of group.signals) incidentOf.set(signal, group.incident);
    countGroup(ledger, group, file);
  }
  for (const accepted of events) {
    const { event, hashes } = accepted.judged;
    const { eventId, eventType, effectiveAtMs, receivedAtMs } = event;
    ledger.context.add(
      {
        eventId,
        eventType,
        environment: event.service.environment,
        serviceId: accepted.serviceId,
        effectiveAtMs,
        receivedAtMs,
        incidentId: incidentOf.get(accepted)?.uuid ?? null,
        source: { file, position: accepted.position },
      },
      hashes,
    );
  }
  ledger.reports.addSignals(
    events.map((each) => ({
      judged: each.judged,
      serviceId: each.serviceId,
      incident: incidentOf.get(each) ?? null,
    })),
  );
  for (const report of ledger.reports.attribute(events, ledger.incidents)) countReport(report);
}

/** Applies what was resolved by hand after the last event. */
export function settleResolutions(ledger: LocalLedger): void {
  for (const incident of ledger.incidents.values()) applyResolution(incident, Number.POSITIVE_INFINITY);
}

function groupSignals(ledger: LocalLedger, events: readonly AcceptedEvent[]): SignalGroup[] {
  const byKey = new Map<string, AcceptedEvent[]>();
  for (const accepted of events) {
    const { fingerprint } = accepted.judged;
    if (accepted.eventClass !== 'incident_signal' || fingerprint === null) continue;
    const key = groupingKey(accepted.serviceId, fingerprint.value);
    const members = byKey.get(key);
    if (members === undefined) byKey.set(key, [accepted]);
    else members.push(accepted);
  }
  return [...byKey].flatMap(([key, signals]): SignalGroup[] => {
    const known = ledger.incidents.get(key);
    if (known !== undefined) return [{ incident: known, isNew: false, signals }];
    const [first] = signals;
    const incident = first === undefined ? null : newLocalIncident(first, ledger.resolvedAtMs);
    if (incident === null) return [];
    ledger.incidents.set(key, incident);
    return [{ incident, isNew: true, signals }];
  });
}

function countGroup(ledger: LocalLedger, { incident, isNew, signals }: SignalGroup, file: number): void {
  const receivedAtMs = signals[0]?.judged.event.receivedAtMs ?? 0;
  const occurrences = signals.map(occurrenceOf);
  if (isNew) reopenUnseen(incident, receivedAtMs);
  else applyResolution(incident, receivedAtMs);
  const counted = isNew ? occurrences.slice(1) : occurrences;
  incident.state = advanceIncident(incident.state, counted, receivedAtMs).state;
  recordSpikes(incident, occurrences, receivedAtMs);
  countMembers(incident, signals);
  const arrivals = signals.map(({ judged: { event, severity }, position }) => ({
    eventId: event.eventId,
    effectiveAtMs: event.effectiveAtMs,
    receivedAtMs: event.receivedAtMs,
    severity,
    richness: eventRichness(event),
    source: { file, position },
  }));
  const deployments = ledger.deployments.of(incident.serviceName, incident.environment);
  incident.samples = chooseSampleRoles(incident.samples, arrivals, deployments);
}

function occurrenceOf({ judged: { event, severity } }: AcceptedEvent): Occurrence {
  const { effectiveAtMs, receivedAtMs } = event;
  return { effectiveAtMs, receivedAtMs, severity: SEVERITIES.indexOf(severity) };
}

/** Resolves the incident before it counts what was received later than its resolution. */
function applyResolution(incident: LocalIncident, receivedAtMs: number): void {
  const resolvedAtMs = incident.pendingResolutionMs;
  if (resolvedAtMs === null || receivedAtMs <= resolvedAtMs) return;
  incident.pendingResolutionMs = null;
  incident.state = resolveIncident(incident.state, null, resolvedAtMs) ?? incident.state;
}

/** One whose earlier files are gone came back with the first that is left. */
function reopenUnseen(incident: LocalIncident, receivedAtMs: number): void {
  const resolvedAtMs = incident.pendingResolutionMs;
  if (resolvedAtMs === null || receivedAtMs <= resolvedAtMs) return;
  incident.pendingResolutionMs = null;
  incident.state = { ...incident.state, status: 'regressed', regressedAtMs: receivedAtMs };
}

/** Adds to the minutes and judges the spike rules (docs/contract/incidents.md 5.7). */
function recordSpikes(incident: LocalIncident, occurrences: readonly Occurrence[], nowMs: number): void {
  const { minutes, state } = incident;
  addMinutes(incident, countMinutes(occurrences.map(({ effectiveAtMs }) => effectiveAtMs)));
  const { detectedAtMs, episode } = judgeSpikes(
    {
      firstSeenAtMs: state.firstSeenAtMs,
      occurrenceCount: state.occurrenceCount,
      isResolved: state.status === 'resolved',
      episode: incident.spikeEpisode,
    },
    occurrences.map(({ effectiveAtMs, receivedAtMs }) => ({ atMs: effectiveAtMs, receivedAtMs })),
    minutes,
  );
  incident.spikeEpisode = episode;
  if (detectedAtMs.length > 0) incident.spikeDetectedAtMs = nowMs;
  dropOldMinutes(incident, nowMs);
}

/** Affected users and requests (docs/contract/incidents.md 5.11, 3.6), and what reports look for. */
function countMembers(incident: LocalIncident, signals: readonly AcceptedEvent[]): void {
  const users = new Set<bigint>();
  for (const { judged } of signals) {
    const { event, hashes } = judged;
    const { correlation, payload, effectiveAtMs, receivedAtMs, eventType } = event;
    if (correlation.userIdHash !== null) users.add(identifierHash(correlation.userIdHash));
    if (hashes.request === null) incident.occurrencesWithoutRequestId += 1;
    else incident.requests.add(hashes.request);
    const request = payload.kind === 'request' || payload.kind === 'exception' ? payload.request : null;
    if (hasRequest(request)) incident.occurrencesWithRequestBlock += 1;
    // Files have no tokens.
    incident.sources |= signalSource(eventType, false);
    incident.signals.push({ effectiveAtMs, receivedAtMs, eventType, library: event.sdk.name });
  }
  if (users.size > 0) incident.users.add(users);
}

/** Counts the repeats that a library did not send (docs/contract/incidents.md 5.10). */
function countReport({ event, incident, count, span }: LocalReport): void {
  const { receivedAtMs } = event;
  applyResolution(incident, receivedAtMs);
  incident.state = addSuppressed(incident.state, count, span.toMs);
  incident.suppressedCount += count;
  addMinutes(incident, spreadEvenly(count, span));
  if (incident.state.status !== 'resolved') {
    const { detected, episode } = detectSpike({
      firstSeenAtMs: incident.state.firstSeenAtMs,
      atMs: span.toMs,
      receivedAtMs,
      minuteCounts: incident.minutes,
      episode: incident.spikeEpisode,
    });
    incident.spikeEpisode = episode;
    if (detected) incident.spikeDetectedAtMs = receivedAtMs;
  }
  dropOldMinutes(incident, receivedAtMs);
}

function addMinutes({ minutes }: LocalIncident, added: ReadonlyMap<number, number>): void {
  for (const [minute, occurrences] of added) minutes.set(minute, (minutes.get(minute) ?? 0) + occurrences);
}

function dropOldMinutes({ minutes }: LocalIncident, nowMs: number): void {
  const oldest = minuteIndex(nowMs) - MINUTES_KEPT;
  for (const minute of minutes.keys()) if (minute < oldest) minutes.delete(minute);
}
