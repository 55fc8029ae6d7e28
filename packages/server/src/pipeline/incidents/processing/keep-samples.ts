import type { SampleRole } from '@culprit/evidence/events/normalize/sample-role';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { chooseSampleRoles } from '@culprit/evidence/incidents/sample-roles';
import type { Transaction } from '../../../platform/db/database.ts';
import { type StoredSample, writeSamples } from './evidence.queries.ts';
import type { SignalGroup } from './hold-groups.ts';
import { noOffers, type Offers, offerSamples } from './make-offers.ts';

/** A sample as the choice of roles sees it: severity as a word. */
type Candidate = Omit<StoredSample, 'severity' | 'roles'> & { severity: (typeof SEVERITIES)[number] };

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
  const known = new Map<string, StoredSample[]>();
  for (const sample of stored) {
    const list = known.get(sample.incidentId);
    if (list === undefined) known.set(sample.incidentId, [sample]);
    else list.push(sample);
  }
  const removed: { incidentId: string; eventId: string }[] = [];
  const written: StoredSample[] = [];
  const offers = noOffers();
  for (const group of groups) {
    const before = known.get(group.incident.incidentId) ?? [];
    const current = before.map((sample) => ({ sample: candidateOfStored(sample), roles: sample.roles }));
    const chosen = chooseSampleRoles(current, arrivals(group), group.deployments);
    const rolesBefore = new Map(before.map((sample) => [sample.eventId, sample.roles.join()]));
    for (const { sample, roles } of chosen) {
      if (rolesBefore.get(sample.eventId) !== roles.join()) written.push(storedOf(sample, roles));
      rolesBefore.delete(sample.eventId);
    }
    if (!group.isNew) offerSamples(offers, group, chosen, before);
    for (const eventId of rolesBefore.keys())
      removed.push({ incidentId: group.incident.incidentId, eventId });
  }
  writeSamples(transaction, removed, written);
  return offers;
}

function arrivals({ incident, signals }: SignalGroup): Candidate[] {
  return signals.map(({ event, record, severity, batchId, isOriginBound }) => ({
    incidentId: incident.incidentId,
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

function storedOf(sample: Candidate, roles: SampleRole[]): StoredSample {
  return { ...sample, severity: SEVERITIES.indexOf(sample.severity), roles };
}
