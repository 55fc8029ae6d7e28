import type { ImprovementSensitivity } from '@culprit/contract/incidents/improvements';
import { newUuid } from '../../platform/ids.ts';
import { bucketOf } from './collect-observations.ts';
import type { CounterAddition } from './counters.queries.ts';
import { DETECTORS, type Detector, type PerSensitivity } from './detectors.ts';
import type { Matched } from './improvement-state.ts';
import type { LockedImprovement, NewCandidate } from './locked-improvements.queries.ts';
import type {
  IncidentChange,
  ObservedAttempts,
  ObservedBatch,
  ObservedGroup,
  ObservedLocation,
} from './observation.ts';
import { improvementFingerprint } from './subject.ts';

const EXPIRY_SLACK_MS = 3_600_000;

/** Observations of one time span that match alike; what groups, attempts and incidents come down to. */
interface Tally {
  /** Null for what no counter holds. */
  bucketAtMs: number | null;
  matches: PerSensitivity;
  severe: PerSensitivity;
  total: number;
  /** Effective times. */
  firstAtMs: number;
  lastAtMs: number;
  firstReceivedAtMs: number;
  lastReceivedAtMs: number;
  places: readonly ObservedLocation[];
}

/** The incident a key is about. */
export interface ObservedIncident {
  incidentId: string;
  serviceId: string;
  severity: number;
  title: string;
  /** The regressions of the longest window: the time of each report, and if it came after a deploy. */
  regressions: readonly { atMs: number; isAfterDeploy: boolean }[];
}

/** One key with everything that was observed of it in one run. */
export interface CountedKey {
  detector: Detector;
  serviceId: string;
  key: string;
  fingerprint: string;
  tallies: Tally[];
  attempts: ObservedAttempts[];
  incident: ObservedIncident | null;
}

/** A key with its locked row. */
export interface LockedKey {
  key: CountedKey;
  held: LockedImprovement;
}

const NONE: PerSensitivity = { high_confidence: 0, balanced: 0, verbose: 0 };

/** Returns the observations by key. Deleted incidents are omitted. */
export function countedKeys(
  batches: readonly ObservedBatch[],
  incidents: ReadonlyMap<string, ObservedIncident>,
  nowMs: number,
): CountedKey[] {
  const keys = new Map<string, CountedKey>();

  function keyOf(detector: Detector, serviceId: string, key: string, incident: ObservedIncident | null) {
    const mapKey = `${detector} ${serviceId} ${key}`;
    const known = keys.get(mapKey);
    if (known !== undefined) return known;
    const fingerprint = improvementFingerprint(detector, key);
    const made: CountedKey = { detector, serviceId, key, fingerprint, tallies: [], attempts: [], incident };
    keys.set(mapKey, made);
    return made;
  }

  for (const { groups, attempts, incidents: changes } of batches) {
    for (const group of groups) {
      keyOf(group.detector, group.serviceId, group.key, null).tallies.push(tallyOfGroup(group));
    }
    for (const each of attempts) keyOf('retry_loop', each.serviceId, each.key, null).attempts.push(each);
    for (const change of changes) {
      const incident = incidents.get(change.incidentId);
      if (incident === undefined) continue;
      const recurring = keyOf('recurring_incident', incident.serviceId, incident.incidentId, incident);
      recurring.tallies.push(
        ...talliesOfDays(change, nowMs),
        ...talliesOfRegressions(change.regressions, nowMs),
      );
      if (change.deployRegressions === 0) continue;
      const deploy = keyOf('post_deploy_regression', incident.serviceId, incident.incidentId, incident);
      deploy.tallies.push(...talliesOfRegressions(change.deployRegressions, nowMs));
    }
  }
  return [...keys.values()];
}

function tallyOfGroup(group: ObservedGroup): Tally {
  const { matches, count, severe } = group;
  return {
    ...group,
    matches: {
      high_confidence: matches >= 3 ? count : 0,
      balanced: matches >= 2 ? count : 0,
      verbose: matches >= 1 ? count : 0,
    },
    severe: { high_confidence: severe[0], balanced: severe[1], verbose: severe[2] },
    total: count,
    places: matches === 0 ? [] : [group.latest, group.heaviest],
  };
}

/** A day is reported again with the next one: only one that is not before a resolution is fresh evidence. */
function talliesOfDays({ dayMs }: IncidentChange, nowMs: number): Tally[] {
  return dayMs.map((atMs) => ({
    bucketAtMs: bucketOf('recurring_incident', atMs),
    matches: { high_confidence: 1, balanced: 1, verbose: 1 },
    severe: NONE,
    total: 0,
    firstAtMs: atMs,
    lastAtMs: atMs,
    firstReceivedAtMs: atMs,
    lastReceivedAtMs: nowMs,
    places: [],
  }));
}

/** Regressions move the record; how many there were is read from the ledger. */
function talliesOfRegressions(count: number, nowMs: number): Tally[] {
  if (count === 0) return [];
  return [
    {
      bucketAtMs: null,
      matches: { high_confidence: count, balanced: count, verbose: count },
      severe: NONE,
      total: 0,
      firstAtMs: nowMs,
      lastAtMs: nowMs,
      firstReceivedAtMs: nowMs,
      lastReceivedAtMs: nowMs,
      places: [],
    },
  ];
}

/** A candidate for the key, should it be unknown. */
export function candidateOf({
  detector,
  serviceId,
  key,
  fingerprint,
  ...observed
}: CountedKey): NewCandidate {
  const effective = [
    ...observed.tallies.flatMap((tally) => [tally.firstAtMs, tally.lastAtMs]),
    ...observed.attempts.flatMap(({ atMs }) => atMs),
  ];
  return {
    improvementId: newUuid(),
    serviceId,
    detector,
    key,
    fingerprint,
    firstAtMs: Math.min(...effective),
    lastAtMs: Math.max(...effective),
    receivedAtMs: lastReceivedAtMs({ tallies: observed.tallies, attempts: observed.attempts }),
  };
}

/** Returns the time when the newest of the key's observations was received, which is the end of its window. */
export function lastReceivedAtMs({ tallies, attempts }: Pick<CountedKey, 'tallies' | 'attempts'>): number {
  return Math.max(...[...tallies, ...attempts].map((each) => each.lastReceivedAtMs));
}

/** Returns the start of the window that ends with the key's newest observation. */
export function windowFromMs(key: CountedKey): number {
  return lastReceivedAtMs(key) - DETECTORS[key.detector].windowMs;
}

/**
 * Returns the additions to an improvement's counters. Observations before its window or before its resolution count
 * towards no threshold (docs/contract/incidents.md 6.3).
 */
export function counterAdditions(key: CountedKey, held: LockedImprovement): CounterAddition[] {
  const { windowMs, bucketMs } = DETECTORS[key.detector];
  const fromMs = windowFromMs(key);
  const additions = new Map<number, CounterAddition>();
  for (const tally of key.tallies) {
    if (tally.bucketAtMs === null || tally.lastAtMs < fromMs || !isFresh(tally, held)) continue;
    const hasMatch = isMatching(tally);
    const known = additions.get(tally.bucketAtMs);
    additions.set(tally.bucketAtMs, {
      improvementId: held.improvementId,
      bucketAtMs: tally.bucketAtMs,
      matches: known === undefined ? tally.matches : added(known.matches, tally.matches),
      severe: known === undefined ? tally.severe : added(known.severe, tally.severe),
      total: (known?.total ?? 0) + tally.total,
      firstAtMs: hasMatch
        ? Math.min(known?.firstAtMs ?? tally.firstAtMs, tally.firstAtMs)
        : (known?.firstAtMs ?? null),
      lastAtMs: hasMatch
        ? Math.max(known?.lastAtMs ?? tally.lastAtMs, tally.lastAtMs)
        : (known?.lastAtMs ?? null),
      expiresAtMs: tally.bucketAtMs + bucketMs + windowMs + EXPIRY_SLACK_MS,
    });
  }
  return [...additions.values()];
}

/** Returns true if it counts at any sensitivity: a group of retries may count again at a strict one alone. */
export function isMatching({ matches }: Tally): boolean {
  return matches.verbose + matches.balanced + matches.high_confidence > 0;
}

/** Only what was received after a resolution can open an improvement again. */
export function isFresh(observed: Pick<Tally, 'firstReceivedAtMs'>, { state }: LockedImprovement): boolean {
  return state.resolvedAtMs === null || observed.firstReceivedAtMs > state.resolvedAtMs;
}

function added(a: PerSensitivity, b: PerSensitivity): PerSensitivity {
  return {
    high_confidence: a.high_confidence + b.high_confidence,
    balanced: a.balanced + b.balanced,
    verbose: a.verbose + b.verbose,
  };
}

/**
 * Returns the part of a key that matches at a sensitivity; null when nothing does.
 * @param newDays of an incident: days on which it was not known to have occurred
 */
export function matchedOf(
  { tallies, incident }: CountedKey,
  sensitivity: ImprovementSensitivity,
  newDays: number,
): Matched | null {
  const matching = tallies.filter((tally) => tally.matches[sensitivity] > 0);
  if (matching.length === 0) return null;
  const counted = incident === null ? matching : matching.filter(({ bucketAtMs }) => bucketAtMs === null);
  const count = counted.reduce((sum, tally) => sum + tally.matches[sensitivity], 0);
  return {
    count: incident === null ? count : count + newDays,
    firstAtMs: Math.min(...matching.map(({ firstAtMs }) => firstAtMs)),
    lastAtMs: Math.max(...matching.map(({ lastAtMs }) => lastAtMs)),
    lastReceivedAtMs: Math.max(...matching.map((tally) => tally.lastReceivedAtMs)),
  };
}

/** The observations that a document would show, of those that match at a sensitivity. */
export function samplesOf(
  { tallies }: CountedKey,
  sensitivity: ImprovementSensitivity,
): { role: 'latest' | 'heaviest'; place: ObservedLocation }[] {
  const places = tallies.flatMap((tally) => (tally.matches[sensitivity] > 0 ? tally.places : []));
  let [latest, heaviest] = places;
  if (latest === undefined) return [];
  for (const place of places) {
    if (place.effectiveAtMs > latest.effectiveAtMs) latest = place;
    if (heaviest === undefined || place.weight > heaviest.weight) heaviest = place;
  }
  const samples = [{ role: 'latest' as const, place: latest }];
  if (heaviest === undefined || heaviest.weight === 0) return samples;
  return [...samples, { role: 'heaviest' as const, place: heaviest }];
}
