import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fingerprint } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { FingerprintVersion } from '@culprit/evidence/events/fingerprint/fingerprint-keys';
import { createFingerprinter } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Database } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { eventLine } from '../reading/event-line.ts';
import { findIncidentsOf, readRecentEvents } from '../reading/recent-events.ts';
import { findMergedInto } from './aliases.queries.ts';
import type { RegroupedEvent } from './compare-groups.ts';

/** How much history one reading takes. */
export interface HistoryBounds {
  eventsMax: number;
  bytesMax: number;
  batchesMax: number;
  workMs: number;
}

/** What one request may read. */
export const REQUEST_BOUNDS: HistoryBounds = {
  eventsMax: 20_000,
  bytesMax: 32 * 1024 * 1024,
  batchesMax: 2000,
  workMs: 5000,
};

/** What an operator's command may read at the machine, in the time that it was given. */
export function commandBounds(workMs: number): HistoryBounds {
  return { eventsMax: 200_000, bytesMax: 512 * 1024 * 1024, batchesMax: 50_000, workMs };
}

/** By what signals are grouped once more. */
export interface Proposal {
  stackRules: readonly StackRule[];
  version: FingerprintVersion;
}

const HOUR_MS = 3_600_000;
const EVENTS_PER_TURN = 50;
const FINGERPRINTS_MAX = 1000;
const LOOKED_UP_AT_ONCE = 20_000;

/**
 * The signals of the last hours with the incidents that have them today, their keys by the rules in force and those by
 * a proposal. What is beyond the bounds is said not to be complete.
 */
export async function groupHistory(
  { database, objects }: { database: Database; objects: ObjectStore },
  history: { projectId: string; hours: number; bounds: HistoryBounds },
  inForce: readonly StackRule[],
  proposal: Proposal,
): Promise<{ events: RegroupedEvent[]; isComplete: boolean }> {
  const { projectId, bounds } = history;
  const sinceMs = (await readClock(database)) - history.hours * HOUR_MS;
  const [fingerprintNow, fingerprintThen] = [
    createFingerprinter({ entriesMax: FINGERPRINTS_MAX }),
    createFingerprinter({ entriesMax: FINGERPRINTS_MAX }),
  ];
  const deadlineMs = performance.now() + bounds.workMs;
  const grouped: (Omit<RegroupedEvent, 'incidentId'> & { eventId: string; receivedAtMs: number })[] = [];
  let read = 0;
  const { isComplete } = await readRecentEvents(
    { database, objects },
    { projectId, sinceMs, before: null, bounds },
    async (events) => {
      for (const { event } of events) {
        read += 1;
        if (read % EVENTS_PER_TURN === 0) await nextTurn();
        const now = fingerprintNow(event, inForce);
        const then = fingerprintThen(event, proposal.stackRules);
        if (now === null || then === null) continue;
        const { name, environment } = event.service;
        // Never the event itself: of long histories too much would be held.
        grouped.push({
          eventId: event.eventId,
          receivedAtMs: event.receivedAtMs,
          service: JSON.stringify([name, environment]),
          key: keyText(now, now.version),
          proposedKey: keyText(then, proposal.version),
          line: eventLine(event),
        });
      }
      return read < bounds.eventsMax && performance.now() < deadlineMs;
    },
  );
  const countedBy = new Map<string, string>();
  for (let at = 0; at < grouped.length; at += LOOKED_UP_AT_ONCE) {
    const found = await findIncidentsOf(database, projectId, grouped.slice(at, at + LOOKED_UP_AT_ONCE));
    for (const [eventId, incidentId] of found) countedBy.set(eventId, incidentId);
  }
  // What was merged since is one incident today.
  const mergedInto = await findMergedInto(database, [...new Set(countedBy.values())]);
  const events = grouped.flatMap(({ eventId, service, key, proposedKey, line }): RegroupedEvent[] => {
    const counted = countedBy.get(eventId);
    if (counted === undefined) return [];
    return [{ incidentId: mergedInto.get(counted) ?? counted, service, key, proposedKey, line }];
  });
  return { events, isComplete };
}

/** Version and value of a fingerprint, or of its earlier version. */
function keyText({ version, value, earlierValue }: Fingerprint, wanted: FingerprintVersion): string {
  return wanted === 'v1' && earlierValue !== null ? `v1 ${earlierValue}` : `${version} ${value}`;
}
