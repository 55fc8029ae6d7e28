import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { advanceIncident } from '@culprit/evidence/incidents/incident-state';
import { regressionFacts, spikeDeployFacts } from '@culprit/evidence/incidents/regression';
import { signalSource } from '@culprit/evidence/incidents/source-trust';
import {
  countMinutes,
  judgeSpikes,
  MINUTES_KEPT,
  minuteIndex,
  spikeFacts,
} from '@culprit/evidence/incidents/spike';
import type { Transaction } from '../../../platform/db/database.ts';
import type { ReleaseDay } from '../../../releases/naming.queries.ts';
import type { BundleRequest } from '../../bundles/queue/request-bundles.ts';
import { type IncidentChange, NO_CHANGE } from '../../improvements/observation.ts';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { mergeBySlots } from '../grouping/merge-into.ts';
import { collectFacts } from '../searching/collect-facts.ts';
import { enqueueFacts } from '../searching/enqueue-facts.queries.ts';
import { openSearchRows } from '../searching/open-search-rows.ts';
import { countMembers } from './count-members.ts';
import { addMinutes, type MinuteCount, readMinutes, readSamples } from './evidence.queries.ts';
import {
  findGroupDeployments,
  lockGroups,
  occurrenceOf,
  type ServiceEvent,
  type SignalGroup,
} from './hold-groups.ts';
import type { MembersMemory } from './incident-members.ts';
import { keepSamples } from './keep-samples.ts';
import { updateIncidents } from './locked-incidents.queries.ts';
import { noOffers, type Offers } from './make-offers.ts';
import { newDays } from './new-days.ts';
import type { EventReleases } from './note-releases.ts';
import { findSignalReleases, type SignalReleases } from './signal-releases.ts';
import { wakeBySignals } from './wake-incident.ts';

interface CountedSignals {
  incidentOf: Map<ServiceEvent, string>;
  lifecycle: LifecycleEvent[];
  bundleRequests: BundleRequest[];
  offers: Offers;
  /** The changes that the detectors of improvements examine. */
  changes: IncidentChange[];
  releaseDays: ReleaseDay[];
}

/**
 * Groups counted signals into incidents and moves their state (docs/contract/incidents.md 1.4, 5.5 to 5.8).
 * @param options.rules `stackRules`, or null where the project learns no slots
 */
export async function countSignals(
  transaction: Transaction,
  projectId: string,
  signals: readonly ServiceEvent[],
  options: {
    nowMs: number;
    rules: readonly StackRule[] | null;
    stackRules: readonly StackRule[];
    releases: EventReleases;
    members: MembersMemory;
  },
): Promise<CountedSignals> {
  const { nowMs } = options;
  const result: CountedSignals = {
    incidentOf: new Map(),
    lifecycle: [],
    bundleRequests: [],
    offers: noOffers(),
    changes: [],
    releaseDays: [],
  };
  if (signals.length === 0) {
    // A deploy alone can be the release that resolved incidents wait for.
    (await findSignalReleases(transaction, projectId, [], options.releases)).settle();
    return result;
  }

  const { groups, merges } = await lockGroups(transaction, projectId, signals, {
    ...options,
    releaseOf: options.releases.of,
  });
  const known = heldBefore(groups);
  const [minutes, samples] = await Promise.all([
    readMinutes(transaction, known),
    readSamples(transaction, known),
    findGroupDeployments(transaction, projectId, groups),
    countMembers(transaction, projectId, groups, options.members),
  ]);
  const releases = await findSignalReleases(transaction, projectId, groups, options.releases);
  const newMinutes: MinuteCount[] = [];
  for (const group of groups) {
    const { incident } = group;
    for (const signal of group.signals) {
      result.incidentOf.set(signal, incident.incidentId);
      incident.sources |= signalSource(signal.event.eventType, signal.isOriginBound);
    }
    const isSeverityRaised = move(group, projectId, nowMs, releases, result);
    const added = countMinutes(group.signals.map(({ event }) => event.effectiveAtMs));
    for (const [minute, occurrences] of added)
      newMinutes.push({ incidentId: incident.incidentId, minute, occurrences, suppressed: 0 });
    const counts = minutes.get(incident.incidentId) ?? new Map<number, number>();
    const isSpikeDetected = recordSpike(group, projectId, counts, added, nowMs, result);
    const woke = wakeBySignals(incident, projectId, {
      minuteCounts: counts,
      nowMs,
      isSeverityRaised,
      isSpikeDetected,
      latestDeployMs: latestDeploy(group),
    });
    if (woke !== null) result.lifecycle.push(woke);
  }
  addMinutes(transaction, newMinutes, minuteIndex(nowMs) - MINUTES_KEPT);
  result.offers = keepSamples(transaction, groups, samples);
  updateIncidents(
    transaction,
    groups.filter((group) => !group.isNew || hasMoved(group)).map((group) => group.incident),
  );
  openSearchRows(transaction, projectId, groups, options.stackRules);
  enqueueFacts(transaction, projectId, collectFacts(groups), {
    signals: signals.length,
    hasNew: groups.some((group) => group.isNew),
  });
  result.releaseDays = releases.settle();
  result.lifecycle.push(...(await mergeBySlots(transaction, projectId, merges, nowMs)));
  return result;
}

function heldBefore(groups: readonly SignalGroup[]): string[] {
  return groups.filter((group) => !group.isNew).map((group) => group.incident.incidentId);
}

/** A new incident's row already contains its first signal; anything beyond needs an update. */
function hasMoved({ incident, signals, opened }: SignalGroup): boolean {
  return (
    signals.length > 1 ||
    incident.isWoken ||
    incident.lastRelease !== opened?.firstRelease ||
    incident.affectedUsers > 0 ||
    incident.distinctRequests > 0 ||
    incident.occurrencesWithoutRequestId > 0 ||
    incident.occurrencesWithRequestBlock > 0
  );
}

/** The latest deploy under which one of the signals occurred; null where there is none. */
function latestDeploy({ signals, deployments, incident }: SignalGroup): number | null {
  if (incident.snooze === null) return null;
  const newestMs = Math.max(...signals.map(({ event }) => event.effectiveAtMs));
  const [latest] = deployments.filter(({ deployedAtMs }) => deployedAtMs <= newestMs);
  return latest?.deployedAtMs ?? null;
}

/** Advances the state and notes what happened; whether the severity of an active incident was raised. */
function move(
  group: SignalGroup,
  projectId: string,
  nowMs: number,
  releases: SignalReleases,
  result: CountedSignals,
): boolean {
  const { incident, isNew } = group;
  const { incidentId } = incident;
  const before = incident.state;
  const counted = isNew ? group.signals.slice(1) : group.signals;
  const occurrences = counted.map((signal) => ({ ...occurrenceOf(signal), signal }));
  const advance = advanceIncident(before, occurrences, nowMs, ({ signal }) =>
    releases.isOlder(group, signal),
  );
  incident.state = advance.state;
  const releaseBefore = incident.lastRelease;
  for (const release of releases.count(group, advance.regressedBy?.signal ?? null)) {
    const data = { release };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.seen_in_old_release', data });
  }
  const severity = SEVERITIES[advance.state.severity];
  if (isNew) {
    const data = { severity };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.opened', data });
    if (incident.snooze !== null) {
      const until = formatTimestamp(incident.snooze.untilMs);
      const data = { until, reason: 'snoozed_before' };
      result.lifecycle.push({ projectId, incidentId, kind: 'incident.snoozed', data });
    }
    result.bundleRequests.push({ incidentId, trigger: 'created' });
  }
  if (advance.regressedBy !== null) {
    const data = {
      severity,
      ...regressionFacts(group.deployments, advance.regressedBy.effectiveAtMs),
      release: incident.regressedInRelease,
    };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.regressed', data });
    result.bundleRequests.push({ incidentId, trigger: 'regressed' });
    result.changes.push({
      ...NO_CHANGE,
      incidentId,
      regressions: 1,
      deployRegressions: data.regression_after_deploy ? 1 : 0,
    });
  }
  const dayMs = incident.isSample ? [] : newDays(before, counted);
  if (dayMs.length > 0) result.changes.push({ ...NO_CHANGE, incidentId, dayMs });
  // A backlog that leaves the incident resolved is counted and shown, but it is no news (T10).
  const isActive = advance.state.status !== 'resolved';
  const isRaised = !isNew && isActive && advance.isSeverityRaised;
  if (isRaised) {
    incident.escalatedAtMs = nowMs;
    const data = { from: SEVERITIES[before.severity], to: severity };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.severity_raised', data });
    result.bundleRequests.push({ incidentId, trigger: 'severity' });
  }
  if (!isNew) {
    result.bundleRequests.push({ incidentId, trigger: isActive ? 'signal' : 'backlog' });
    if (incident.lastRelease !== releaseBefore)
      result.bundleRequests.push({ incidentId, trigger: 'release' });
  }
  return isRaised;
}

/** Judges the spike rules after the signals were added (docs/contract/incidents.md 5.7); whether one began. */
function recordSpike(
  group: SignalGroup,
  projectId: string,
  counts: Map<number, number>,
  added: ReadonlyMap<number, number>,
  nowMs: number,
  result: CountedSignals,
): boolean {
  const { incident, signals } = group;
  const { incidentId, state } = incident;
  for (const [minute, occurrences] of added) counts.set(minute, (counts.get(minute) ?? 0) + occurrences);
  const { detectedAtMs, episode } = judgeSpikes(
    {
      firstSeenAtMs: state.firstSeenAtMs,
      occurrenceCount: state.occurrenceCount,
      isResolved: state.status === 'resolved',
      episode: incident.spikeLastTrueAtMs === null ? null : { lastTrueAtMs: incident.spikeLastTrueAtMs },
    },
    signals.map(({ event }) => ({ atMs: event.effectiveAtMs, receivedAtMs: event.receivedAtMs })),
    counts,
  );
  incident.spikeLastTrueAtMs = episode?.lastTrueAtMs ?? null;
  for (const atMs of detectedAtMs) {
    incident.spikeDetectedAtMs = nowMs;
    const data = {
      severity: SEVERITIES[state.severity],
      ...spikeFacts(counts, atMs, nowMs),
      ...spikeDeployFacts(group.deployments, atMs),
    };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.spike_detected', data });
  }
  return detectedAtMs.length > 0;
}
