import {
  isFailedRequestTrail,
  offerBits,
  offeredBesidesPrimary,
  offeredByContext,
} from '@culprit/evidence/bundles/evidence/offers';
import type { SampleRole } from '@culprit/evidence/events/normalize/sample-role';
import type { Transaction } from '../../../platform/db/database.ts';
import { findOfferedContext } from '../../bundles/evidence/offered-context.queries.ts';
import type { ServiceEvent, SignalGroup } from './hold-groups.ts';

/** The offers of a transaction's events to bundles, as bits by incident (docs/contract/incidents.md 3.9). */
export interface Offers {
  bits: Map<string, number>;
  /** Incidents whose new primary occurrence carries ids by which context is found. */
  withNewPrimary: Set<string>;
}

export function noOffers(): Offers {
  return { bits: new Map(), withNewPrimary: new Set() };
}

/**
 * Notes what the new samples of an incident offer. Other occurrences are never shown, and what was there before was
 * offered before.
 */
export function offerSamples(
  offers: Offers,
  { incident: { incidentId }, signals, deployments }: SignalGroup,
  chosen: readonly { sample: { eventId: string }; roles: readonly SampleRole[] }[],
  before: readonly { eventId: string }[],
): void {
  for (const { sample, roles } of chosen) {
    if (before.some(({ eventId }) => eventId === sample.eventId)) continue;
    const signal = signals.find(({ event }) => event.eventId === sample.eventId);
    if (signal === undefined) continue;
    const { event, hashes } = signal;
    const isPrimary = roles.includes('highest_severity');
    const isDeployed = isPrimary && deployments.some((each) => each.deployedAtMs <= event.effectiveAtMs);
    const offered = isPrimary ? event.offered : offeredBesidesPrimary(event.offered);
    const bits = offered | (isDeployed ? offerBits('deploy') : 0);
    offers.bits.set(incidentId, (offers.bits.get(incidentId) ?? 0) | bits);
    const hasIds = hashes.trace !== null || hashes.request !== null || hashes.session !== null;
    if (isPrimary && hasIds) offers.withNewPrimary.add(incidentId);
  }
}

/** Adds the exceptions of pages that show failures of servers. */
export function offerFailures(offers: Offers, failed: readonly [ServiceEvent, string][]): void {
  for (const [{ event }, incidentId] of failed) {
    offers.bits.set(incidentId, (offers.bits.get(incidentId) ?? 0) | offeredByContext(event.eventType));
  }
}

/**
 * Adds the context of the primary occurrences: that of `sharing` may just have arrived, that of a new primary may have
 * arrived before it. The events of the transaction are already stored.
 */
export async function offerContext(
  transaction: Transaction,
  offers: Offers,
  sharing: readonly string[],
  events: readonly ServiceEvent[],
): Promise<void> {
  const incidentIds = new Set([...sharing, ...offers.withNewPrimary]);
  const trailOffer = events.some(({ event: { kept } }) => kept !== null && isFailedRequestTrail(kept))
    ? offerBits('replayable_request')
    : 0;
  // A trail may offer what its type does not.
  for (const [incidentId, types] of await findOfferedContext(
    transaction,
    [...incidentIds],
    trailOffer !== 0,
  )) {
    let bits = offers.bits.get(incidentId) ?? 0;
    for (const type of types) {
      bits |= offeredByContext(type);
      if (type === 'frontend_breadcrumb') bits |= trailOffer;
    }
    offers.bits.set(incidentId, bits);
  }
}
