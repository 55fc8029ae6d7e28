import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { keptMessages } from '@culprit/evidence/incidents/search-document';
import { tagWeight } from '@culprit/evidence/incidents/tag-sampling';
import type { ServiceEvent, SignalGroup } from '../processing/hold-groups.ts';
import type { IncidentFacts, TagCount } from './facts.jobs.ts';

/** The value that represents the values that do not fit. */
export const OTHER_VALUES = '…other';

/** The number of counts that one transaction passes on; further values are counted together. */
const COUNTS_MAX = 20_000;

/** Adds up the tags and messages of signals that were counted. */
export function collectFacts(groups: readonly SignalGroup[]): IncidentFacts[] {
  let left = COUNTS_MAX;
  return groups.flatMap((group) => {
    const { incident, signals } = group;
    const counts = new Map<string, Map<string, TagCount>>();
    const messages: string[] = [];
    let number = incident.state.occurrenceCount - signals.length;
    for (const signal of signals) {
      number += 1;
      const { facts, event, idHash } = signal;
      if (facts === null) continue;
      if (facts.message !== '' && facts.message !== messages.at(-1)) messages.push(facts.message);
      const weight = tagWeight(number, () => idHash ?? identifierHash(event.eventId));
      if (weight === 0) continue;
      const release = releaseBy(group, signal);
      const tags = release === null ? facts.tags : [...facts.tags, 'release', release];
      for (let n = 0; n + 1 < tags.length; n += 2) {
        left -= add(counts, tags[n] ?? '', tags[n + 1] ?? '', weight, event.effectiveAtMs, left > 0);
      }
    }
    const tags = [...counts.values()].flatMap((values) => [...values.values()]);
    if (tags.length === 0 && messages.length === 0) return [];
    return [{ incidentId: incident.incidentId, messages: [...keptMessages([], messages)], tags }];
  });
}

/** Returns how many counts it added. */
function add(
  counts: Map<string, Map<string, TagCount>>,
  key: string,
  given: string,
  weight: number,
  atMs: number,
  mayAdd: boolean,
): number {
  let values = counts.get(key);
  if (values === undefined) {
    values = new Map();
    counts.set(key, values);
  }
  const value = mayAdd || values.has(given) ? given : OTHER_VALUES;
  const known = values.get(value);
  if (known === undefined) {
    values.set(value, [key, value, weight, atMs, atMs]);
    return 1;
  }
  known[2] += weight;
  known[3] = Math.min(known[3], atMs);
  known[4] = Math.max(known[4], atMs);
  return 0;
}

/** The version that ran, where the event names none; null where it does. */
export function releaseBy(
  { deployments }: Pick<SignalGroup, 'deployments'>,
  signal: ServiceEvent,
): string | null {
  const tags = signal.facts?.tags ?? [];
  for (let n = 0; n < tags.length; n += 2) if (tags[n] === 'release') return null;
  let found: { version: string; atMs: number } | null = null;
  for (const { version, deployedAtMs } of deployments) {
    if (version === null || deployedAtMs > signal.event.effectiveAtMs) continue;
    if (found === null || deployedAtMs > found.atMs) found = { version, atMs: deployedAtMs };
  }
  return found?.version ?? null;
}
