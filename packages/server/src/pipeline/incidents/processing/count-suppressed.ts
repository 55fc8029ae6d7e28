import type { Severity } from '@culprit/evidence/events/normalize/event';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { addSuppressed } from '@culprit/evidence/incidents/incident-state';
import { spikeDeployFacts } from '@culprit/evidence/incidents/regression';
import {
  detectSpike,
  MINUTES_KEPT,
  minuteIndex,
  type SpikeFacts,
  spikeFacts,
} from '@culprit/evidence/incidents/spike';
import { spreadEvenly } from '@culprit/evidence/incidents/suppressed-report';
import type { Transaction } from '../../../platform/db/database.ts';
import type { BundleRequest } from '../../bundles/queue/request-bundles.ts';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { attachContextRows } from '../../ledger/timeline.queries.ts';
import { findDeployments, serviceKey } from '../reading/services.queries.ts';
import { type AttributedReport, attributeReports } from './attribute-suppressed.ts';
import { wholeEvent } from './counted-event.ts';
import { addMinutes, readMinutes } from './evidence.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';
import { type LockedIncident, lockIncidents, updateIncidents } from './locked-incidents.queries.ts';
import { wakeBySignals } from './wake-incident.ts';

/** An incident with what reports add to it. */
interface Counting {
  incident: LockedIncident;
  /** Occurrences by minute, those added here included. */
  minutes: Map<number, number>;
  added: Map<number, number>;
}

/**
 * Counts the repeats that client libraries suppressed in the incidents that their reports belong to; a report without
 * one stays an operational record. Runs after the batch's own signals were stored, with the same few statements however
 * many reports there are.
 */
export async function countSuppressed(
  transaction: Transaction,
  projectId: string,
  events: readonly ServiceEvent[],
  nowMs: number,
): Promise<{ lifecycle: LifecycleEvent[]; bundleRequests: BundleRequest[] }> {
  const attributed = await attributeReports(transaction, projectId, events);
  if (attributed.length === 0) return { lifecycle: [], bundleRequests: [] };

  const incidentIds = [...new Set(attributed.map(({ incidentId }) => incidentId))];
  const held = await lockIncidents(transaction, incidentIds);
  const minutes = await readMinutes(transaction, incidentIds);
  const counting = new Map<string, Counting>(
    held.map((incident) => [
      incident.incidentId,
      { incident, minutes: minutes.get(incident.incidentId) ?? new Map(), added: new Map() },
    ]),
  );
  // A report whose incident was removed between the look and the lock counts nothing.
  const counted = attributed.filter(({ incidentId }) => counting.has(incidentId));
  const spikes = counted.flatMap((each) => {
    const of = counting.get(each.incidentId);
    const facts = of === undefined ? null : countReport(of, each, nowMs);
    return of === undefined || facts === null
      ? []
      : { ...each, facts: { severity: SEVERITIES[of.incident.state.severity], ...facts } };
  });
  addMinutes(
    transaction,
    [...counting.values()].flatMap(({ incident: { incidentId }, added }) =>
      [...added].map(([minute, count]) => ({ incidentId, minute, occurrences: count, suppressed: count })),
    ),
    minuteIndex(nowMs) - MINUTES_KEPT,
  );
  const spiked = new Set(spikes.map(({ incidentId }) => incidentId));
  const woken = [...counting.values()].flatMap(
    ({ incident, minutes }) =>
      wakeBySignals(incident, projectId, {
        minuteCounts: minutes,
        nowMs,
        isSeverityRaised: false,
        isSpikeDetected: spiked.has(incident.incidentId),
        latestDeployMs: null,
      }) ?? [],
  );
  updateIncidents(transaction, held);
  attachContextRows(
    transaction,
    counted.map(({ incidentId, report }) => ({ incidentId, event: wholeEvent(report), isSignal: false })),
  );
  const lifecycle = [...(await describeSpikes(transaction, projectId, spikes)), ...woken];
  return { lifecycle, bundleRequests: held.map(({ incidentId }) => ({ incidentId, trigger: 'context' })) };
}

/** Adds a report to its incident; the figures of a spike that its repeats show, null when they show none. */
function countReport(
  of: Counting,
  { report, count, span }: AttributedReport,
  nowMs: number,
): SpikeFacts | null {
  const { incident } = of;
  incident.state = addSuppressed(incident.state, count, span.toMs);
  incident.suppressedCount += count;
  for (const [minute, occurrences] of spreadEvenly(count, span)) {
    of.added.set(minute, (of.added.get(minute) ?? 0) + occurrences);
    of.minutes.set(minute, (of.minutes.get(minute) ?? 0) + occurrences);
  }
  if (incident.state.status === 'resolved') return null;
  const { detected, episode } = detectSpike({
    firstSeenAtMs: incident.state.firstSeenAtMs,
    atMs: span.toMs,
    receivedAtMs: report.event.receivedAtMs,
    minuteCounts: of.minutes,
    episode: incident.spikeLastTrueAtMs === null ? null : { lastTrueAtMs: incident.spikeLastTrueAtMs },
  });
  incident.spikeLastTrueAtMs = episode?.lastTrueAtMs ?? null;
  if (!detected) return null;
  incident.spikeDetectedAtMs = nowMs;
  return spikeFacts(of.minutes, span.toMs, nowMs);
}

/** The ledger rows of spikes, with what their services ran under at that moment. */
async function describeSpikes(
  transaction: Transaction,
  projectId: string,
  spikes: readonly (AttributedReport & { facts: { severity: Severity | undefined } & SpikeFacts })[],
): Promise<LifecycleEvent[]> {
  if (spikes.length === 0) return [];
  const deployments = await findDeployments(
    transaction,
    projectId,
    spikes.map(({ report: { event }, span: { toMs } }) => ({
      name: event.service.name,
      environment: event.service.environment,
      earliestMs: toMs,
      latestMs: toMs,
    })),
  );
  return spikes.map(({ report: { event }, incidentId, span, facts }) => {
    const ran = deployments.get(serviceKey(event.service.name, event.service.environment)) ?? [];
    const data = { ...facts, ...spikeDeployFacts(ran, span.toMs) };
    return { projectId, incidentId, kind: 'incident.spike_detected', data };
  });
}
