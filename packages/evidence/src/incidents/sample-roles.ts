import type { Severity } from '../events/normalize/event.ts';
import type { SampleRole } from '../events/normalize/sample-role.ts';
import { SEVERITIES } from '../events/normalize/severity.ts';

/** The facts that the choice uses; the caller's record can hold more. */
export interface SampleFacts {
  eventId: string;
  effectiveAtMs: number;
  severity: Severity;
  /** The result of `eventRichness`. */
  richness: number;
}

/** Deployments that keep their first occurrence; with the four single roles at most seven samples per incident. */
const AFTER_DEPLOY_MAX = 3;

/** Order in which the roles of one sample are listed. */
const ROLES: readonly SampleRole[] = ['first', 'latest', 'after_deploy', 'highest_severity', 'richest'];

/**
 * Chooses the occurrences whose full detail an incident keeps, at most seven, oldest first (docs/contract/incidents.md
 * 3.3).
 *
 * Every role belongs to the extreme of a total order (ties end at the event id), so the outcome depends on the set of
 * occurrences alone, not on the order or the batches in which they arrived. For the same reason only deployments at or
 * before the newest occurrence compete for the three places: that bound moves in one direction only, so an occurrence
 * that was dropped is never needed again. `deployments` are those of the incident's service and environment, in any
 * order, at least the newest three at or before the newest occurrence.
 */
export function chooseSampleRoles<T extends SampleFacts>(
  current: readonly { sample: T; roles: readonly SampleRole[] }[],
  arrivals: readonly T[],
  deployments: readonly { deployedAtMs: number }[],
): { sample: T; roles: SampleRole[] }[] {
  // A repeated event id is the same occurrence; the one that is already kept stays.
  const candidates = new Map<string, T>();
  for (const { sample } of current) candidates.set(sample.eventId, sample);
  for (const sample of arrivals) if (!candidates.has(sample.eventId)) candidates.set(sample.eventId, sample);

  const samples = [...candidates.values()];
  const rolesOf = new Map<T, Set<SampleRole>>();
  const give = (sample: T | null, role: SampleRole): void => {
    if (sample === null) return;
    const roles = rolesOf.get(sample);
    if (roles === undefined) rolesOf.set(sample, new Set([role]));
    else roles.add(role);
  };

  const latest = best(samples, compareTime);
  give(
    best(samples, (a, b) => compareTime(b, a)),
    'first',
  );
  give(latest, 'latest');
  for (const deployedAtMs of competingDeployments(deployments, latest)) {
    const later = samples.filter((sample) => sample.effectiveAtMs >= deployedAtMs);
    give(
      best(later, (a, b) => compareTime(b, a)),
      'after_deploy',
    );
  }
  give(
    best(
      samples,
      (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || compareTime(a, b),
    ),
    'highest_severity',
  );
  give(
    best(samples, (a, b) => a.richness - b.richness || compareTime(a, b)),
    'richest',
  );

  return [...rolesOf]
    .map(([sample, roles]) => ({ sample, roles: ROLES.filter((role) => roles.has(role)) }))
    .sort((a, b) => compareTime(a.sample, b.sample));
}

/** By effective time, then event id by code unit; positive when `a` is later. */
function compareTime(a: SampleFacts, b: SampleFacts): number {
  if (a.effectiveAtMs !== b.effectiveAtMs) return a.effectiveAtMs - b.effectiveAtMs;
  return a.eventId < b.eventId ? -1 : a.eventId > b.eventId ? 1 : 0;
}

function best<T>(samples: readonly T[], compare: (a: T, b: T) => number): T | null {
  let winner: T | null = null;
  for (const sample of samples) if (winner === null || compare(sample, winner) > 0) winner = sample;
  return winner;
}

function competingDeployments(
  deployments: readonly { deployedAtMs: number }[],
  latest: SampleFacts | null,
): number[] {
  if (latest === null) return [];
  const times = new Set<number>();
  for (const { deployedAtMs } of deployments) {
    if (deployedAtMs <= latest.effectiveAtMs) times.add(deployedAtMs);
  }
  return [...times].sort((a, b) => b - a).slice(0, AFTER_DEPLOY_MAX);
}
