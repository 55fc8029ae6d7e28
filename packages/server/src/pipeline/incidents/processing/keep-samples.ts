import type { SampleRole } from '@culprit/evidence/events/normalize/sample-role';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { chooseSampleRoles } from '@culprit/evidence/incidents/sample-roles';
import type { Transaction } from '../../../platform/db/database.ts';
import { type SampleChanges, type StoredSample, writeSamples } from './evidence.queries.ts';
import type { SignalGroup } from './hold-groups.ts';
import { noOffers, type Offers, offerSamples } from './make-offers.ts';

/** A sample as the choice of roles sees it: severity as a word, and without a place where it has no row. */
type Candidate = Omit<StoredSample, 'severity' | 'roles' | 'place'> & {
  severity: (typeof SEVERITIES)[number];
  place: number | null;
};

/**
 * Chooses which occurrences of held incidents are kept in full (docs/contract/incidents.md 3.3) and writes the
 * difference.
 * @param stored those of the incidents that were there before
 * @returns what the new ones offer to the bundles of incidents that were there before
 */
export function keepSamples(
  transaction: Transaction,
  groups: readonly SignalGroup[],
  stored: readonly StoredSample[],
): Offers {
  const known = Map.groupBy(stored, ({ incidentId }) => incidentId);
  const changes: SampleChanges = { removed: [], added: [], changed: [] };
  const offers = noOffers();
  for (const group of groups) {
    const before = known.get(group.incident.incidentId) ?? [];
    const current = before.map((sample) => ({ sample: candidateOfStored(sample), roles: sample.roles }));
    const chosen = chooseSampleRoles(current, arrivals(group), group.deployments);
    addChanges(changes, before, chosen);
    if (!group.isNew) offerSamples(offers, group, chosen, before);
  }
  writeSamples(transaction, changes);
  return offers;
}

/** New samples take the rows of samples that are no longer kept, then the free places. */
function addChanges(
  { removed, added, changed }: SampleChanges,
  before: readonly StoredSample[],
  chosen: readonly { sample: Candidate; roles: SampleRole[] }[],
): void {
  const rolesBefore = new Map(before.map((sample) => [sample.place, sample.roles.join()]));
  const kept = new Set(chosen.map(({ sample }) => sample.place));
  const left = before.filter(({ place }) => !kept.has(place));
  const used = new Set(before.map(({ place }) => place));
  for (const { sample, roles } of chosen) {
    if (sample.place !== null) {
      if (rolesBefore.get(sample.place) !== roles.join()) changed.push(storedOf(sample, sample.place, roles));
      continue;
    }
    const taken = left.shift();
    if (taken !== undefined) changed.push(storedOf(sample, taken.place, roles));
    else {
      const place = freePlace(used);
      used.add(place);
      added.push(storedOf(sample, place, roles));
    }
  }
  removed.push(...left);
}

function freePlace(taken: ReadonlySet<number>): number {
  let place = 0;
  while (taken.has(place)) place += 1;
  return place;
}

function arrivals({ incident, signals }: SignalGroup): Candidate[] {
  return signals.map(({ event, record, severity, batchId, isOriginBound }) => ({
    incidentId: incident.incidentId,
    place: null,
    eventId: event.eventId,
    effectiveAtMs: event.effectiveAtMs,
    receivedAtMs: event.receivedAtMs,
    severity,
    richness: event.richness,
    isOriginBound,
    batchId,
    frameOffset: record.location.frameOffset,
    frameLength: record.location.frameLength,
    recordOffset: record.location.recordOffset,
  }));
}

function candidateOfStored(sample: StoredSample): Candidate {
  return { ...sample, severity: SEVERITIES[sample.severity] ?? 'low' };
}

function storedOf(sample: Candidate, place: number, roles: SampleRole[]): StoredSample {
  return { ...sample, place, severity: SEVERITIES.indexOf(sample.severity), roles };
}
