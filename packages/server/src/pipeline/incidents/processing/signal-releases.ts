import type { OrderedRelease } from '@culprit/evidence/incidents/release-order';
import { isLaterRelease } from '@culprit/evidence/incidents/release-order';
import type { Transaction } from '../../../platform/db/database.ts';
import type { KnownRelease, ReleaseDay } from '../../../releases/naming.queries.ts';
import { findOrder } from '../../../releases/release-order.queries.ts';
import { isKnownOlder } from '../releases/release-judgement.ts';
import {
  findOpenResolutions,
  type Resolution,
  type ResolutionChange,
  readResolutions,
  settleResolutions,
} from '../releases/resolutions.queries.ts';
import type { ServiceEvent, SignalGroup } from './hold-groups.ts';
import { type EventReleases, versionOf } from './note-releases.ts';

/** Old releases that the history of one incident names. */
const OLD_RELEASES_MAX = 100;

/** The releases of the signals of one transaction, and what they change. */
export interface SignalReleases {
  /** Returns true if a signal is known to be of a release before the one in which its incident is resolved. */
  isOlder: (group: SignalGroup, signal: ServiceEvent) => boolean;
  /** Counts the signals of a group. @returns old releases that its history does not name yet */
  count: (group: SignalGroup, regressedBy: ServiceEvent | null) => string[];
  /** Writes what became of resolutions. @returns the counts of days */
  settle: () => ReleaseDay[];
}

/** Finds the releases of signals: the one that each names, else what was deployed when it occurred. */
export async function findSignalReleases(
  transaction: Transaction,
  projectId: string,
  groups: readonly SignalGroup[],
  releases: EventReleases,
): Promise<SignalReleases> {
  const releaseOf = await findReleases(groups, releases);
  const resolved = groups.filter(({ incident, isNew }) => !isNew && incident.state.status === 'resolved');
  const resolutions = await readResolutions(
    transaction,
    resolved.map(({ incident }) => incident.incidentId),
  );
  const open = await findOpenResolutions(transaction, projectId, releases.newThere);
  const orderOf = await orderFor(transaction, projectId, {
    resolved,
    resolutions,
    open,
    releases,
    releaseOf,
  });
  const changes = new Map<string, ResolutionChange>();
  for (const each of open) {
    const { incidentId, afterVersion } = each;
    if (afterVersion === null) continue;
    const after = orderOf(afterVersion);
    let met: OrderedRelease | null = null;
    for (const { version, serviceName, environment } of releases.newThere) {
      if (serviceName !== each.serviceName || environment !== each.environment) continue;
      const release = orderOf(version);
      if (isLaterRelease(release, after) !== true) continue;
      // Several that came together: the earliest of them.
      if (met === null || isLaterRelease(met, release) === true) met = release;
    }
    if (met === null) continue;
    changes.set(incidentId, { incidentId, isEnded: false, version: met.version, oldReleases: [] });
  }
  const days = new Map<string, ReleaseDay>();
  const isOlder = ({ incident }: SignalGroup, signal: ServiceEvent) => {
    const resolution = resolutions.get(incident.incidentId);
    const release = releaseOf(signal);
    return (
      resolution !== undefined &&
      release !== null &&
      isKnownOlder(resolution, orderOf(release.version), signal.event.receivedAtMs, orderOf)
    );
  };
  return {
    isOlder,
    count: (group, regressedBy) => {
      const { incident, signals } = group;
      const { incidentId } = incident;
      const before = group.opened === null ? incident.firstRelease : null;
      countDays(group, releaseOf, days);
      const first = signals.find((signal) => isRecorded(releaseOf(signal)));
      if (before === null && first !== undefined) dayOf(days, first, releaseOf(first)).newIncidents += 1;
      for (const signal of signals) keepRelease(incident, releaseOf(signal));
      const resolution = resolutions.get(incidentId);
      if (regressedBy !== null) {
        const release = releaseOf(regressedBy);
        incident.regressedInRelease = release?.version ?? null;
        if (isRecorded(release)) dayOf(days, regressedBy, release).regressedIncidents += 1;
        if (resolution !== undefined)
          changes.set(incidentId, { incidentId, isEnded: true, version: null, oldReleases: [] });
        return [];
      }
      if (resolution === undefined) return [];
      const old = oldReleases(group, resolution, isOlder, releaseOf);
      if (old.length > 0) {
        const version = changes.get(incidentId)?.version ?? null;
        changes.set(incidentId, { incidentId, isEnded: false, version, oldReleases: old });
      }
      return old;
    },
    settle: () => {
      settleResolutions(transaction, [...changes.values()]);
      return [...days.values()];
    },
  };
}

type ReleaseOf = (signal: ServiceEvent) => KnownRelease | null;

async function findReleases(groups: readonly SignalGroup[], releases: EventReleases): Promise<ReleaseOf> {
  const deployed = new Map<ServiceEvent, string>();
  for (const { signals, deployments } of groups) {
    for (const signal of signals) {
      if (signal.event.release !== null) continue;
      const running = deployments.find(({ deployedAtMs }) => deployedAtMs <= signal.event.effectiveAtMs);
      if (running !== undefined) deployed.set(signal, versionOf(running));
    }
  }
  const wanted = new Map(
    [...deployed].map(([{ serviceId, event }, version]) => [
      `${serviceId} ${version}`,
      { serviceId, version, atMs: event.receivedAtMs },
    ]),
  );
  const ids = await releases.find([...wanted.values()]);
  return (signal) => {
    const version = deployed.get(signal);
    return version === undefined ? releases.of(signal) : { version, releaseId: ids.get(version) ?? null };
  };
}

/** Returns the order of the releases that are compared, if there are any: nearly always none. */
async function orderFor(
  transaction: Transaction,
  projectId: string,
  compared: {
    resolved: readonly SignalGroup[];
    resolutions: ReadonlyMap<string, Resolution>;
    open: readonly Resolution[];
    releases: EventReleases;
    releaseOf: ReleaseOf;
  },
): Promise<(version: string) => OrderedRelease> {
  const versions = new Set<string>();
  for (const { afterVersion, version } of [...compared.resolutions.values(), ...compared.open]) {
    if (afterVersion !== null) versions.add(afterVersion);
    if (version !== null) versions.add(version);
  }
  if (versions.size > 0) {
    for (const { version } of compared.releases.newThere) versions.add(version);
    for (const { incident, signals } of compared.resolved) {
      if (!compared.resolutions.has(incident.incidentId)) continue;
      for (const signal of signals) {
        const release = compared.releaseOf(signal);
        if (release !== null) versions.add(release.version);
      }
    }
  }
  return await findOrder(transaction, projectId, versions);
}

function isRecorded(release: KnownRelease | null): release is { version: string; releaseId: string } {
  return release !== null && release.releaseId !== null;
}

function keepRelease(incident: SignalGroup['incident'], release: KnownRelease | null): void {
  if (!isRecorded(release)) return;
  incident.firstRelease ??= release.version;
  incident.lastRelease = release.version;
}

function countDays({ signals }: SignalGroup, releaseOf: ReleaseOf, days: Map<string, ReleaseDay>): void {
  for (const signal of signals) {
    const release = releaseOf(signal);
    if (isRecorded(release)) dayOf(days, signal, release).events += 1;
  }
}

/** Returns the counts of the day on which a signal occurred: an import, or a phone that was offline, belongs to the past. */
function dayOf(
  days: Map<string, ReleaseDay>,
  signal: ServiceEvent,
  release: KnownRelease | null,
): ReleaseDay {
  const releaseId = release?.releaseId ?? '';
  const dayNumber = Math.floor(signal.event.effectiveAtMs / 86_400_000);
  const key = `${releaseId} ${dayNumber}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  const day = new Date(dayNumber * 86_400_000).toISOString().slice(0, 10);
  const made = { releaseId, day, events: 0, newIncidents: 0, regressedIncidents: 0 };
  days.set(key, made);
  return made;
}

function oldReleases(
  group: SignalGroup,
  resolution: Resolution,
  isOlder: SignalReleases['isOlder'],
  releaseOf: ReleaseOf,
): string[] {
  const told = new Set(resolution.oldReleases);
  const old: string[] = [];
  const { resolvedAtMs } = group.incident.state;
  for (const signal of group.signals) {
    const release = releaseOf(signal);
    if (release === null || told.has(release.version) || told.size >= OLD_RELEASES_MAX) continue;
    // Signals that were received before the resolution are a backlog, whatever their release.
    const isBacklog = resolvedAtMs === null || signal.event.receivedAtMs <= resolvedAtMs;
    if (isBacklog || !isOlder(group, signal)) continue;
    told.add(release.version);
    old.push(release.version);
  }
  return old;
}
