import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { ExactFingerprints } from '../../../capture/exact-fingerprints.ts';
import type { Proposal, RegroupedSignal } from '../../../capture/fingerprint-messages.ts';
import type { Database } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { derivedEventId } from '../../stored-events/batch-object.ts';
import { findIncidentsOf, type RecentRecords, readRecentRecords } from '../reading/recent-events.ts';
import { findMergedInto } from './aliases.queries.ts';
import type { RegroupedEvent } from './compare-groups.ts';

/** The amount of history that one reading takes. */
export interface HistoryBounds {
  eventsMax: number;
  bytesMax: number;
  batchesMax: number;
  workMs: number;
}

/** The bounds of one request. */
export const REQUEST_BOUNDS: HistoryBounds = {
  eventsMax: 20_000,
  bytesMax: 32 * 1024 * 1024,
  batchesMax: 2000,
  workMs: 5000,
};

/** Returns the bounds of an operator's command at the machine, in its given time. */
export function commandBounds(workMs: number): HistoryBounds {
  return { eventsMax: 200_000, bytesMax: 512 * 1024 * 1024, batchesMax: 50_000, workMs };
}

/** The resources with which history is read. */
export interface HistoryParts {
  database: Database;
  objects: ObjectStore;
  /** The thread that parses and groups the events: the event loop of the API must not wait for them. */
  fingerprints: Pick<ExactFingerprints, 'regroup'>;
}

const HOUR_MS = 3_600_000;
/** Senders take turns with pieces of this size; one takes a quarter of a second in the worst shapes. */
const PIECE_BYTES = 256 * 1024;
const LOOKED_UP_AT_ONCE = 20_000;

/**
 * The signals of the last hours with the incidents that have them today, their keys by the rules in force and those by
 * a proposal. What is beyond the bounds is said not to be complete.
 */
export async function groupHistory(
  { database, objects, fingerprints }: HistoryParts,
  history: { projectId: string; hours: number; bounds: HistoryBounds },
  inForce: readonly StackRule[],
  proposal: Proposal,
): Promise<{ events: RegroupedEvent[]; isComplete: boolean }> {
  const { projectId, bounds } = history;
  const deadlineMs = performance.now() + bounds.workMs;
  const sinceMs = (await readClock(database)) - history.hours * HOUR_MS;
  // Never the events themselves: of long histories too much would be held.
  const grouped: (RegroupedSignal & { eventId: string; receivedAtMs: number })[] = [];
  let [read, isWhole] = [0, true];
  const { isComplete } = await readRecentRecords(
    { database, objects },
    { projectId, sinceMs, before: null, bounds },
    async ({ batchId, receivedAtMs }, records) => {
      for (const { positions, body, ranges } of piecesOf(records)) {
        const signals = await fingerprints.regroup(
          projectId,
          { body, ranges },
          { inForce, proposal },
          deadlineMs,
        );
        // The time has run out, or the thread ended in the middle of these events.
        isWhole &&= signals?.length === positions.length;
        for (const [index, signal] of (signals ?? []).entries()) {
          if (signal === null) continue;
          const eventId = signal.eventId ?? derivedEventId(batchId, positions[index] ?? 0);
          grouped.push({ ...signal, eventId, receivedAtMs });
        }
        read += positions.length;
        if (read >= bounds.eventsMax || performance.now() >= deadlineMs) return false;
      }
      return true;
    },
  );
  const countedBy = new Map<string, string>();
  for (let at = 0; at < grouped.length; at += LOOKED_UP_AT_ONCE) {
    const found = await findIncidentsOf(database, projectId, grouped.slice(at, at + LOOKED_UP_AT_ONCE));
    for (const [eventId, incidentId] of found) countedBy.set(eventId, incidentId);
  }
  // Incidents that were merged since are one incident today.
  const mergedInto = await findMergedInto(database, [...new Set(countedBy.values())]);
  const events = grouped.flatMap(({ eventId, service, key, proposedKey, line }): RegroupedEvent[] => {
    const counted = countedBy.get(eventId);
    if (counted === undefined) return [];
    return [{ incidentId: mergedInto.get(counted) ?? counted, service, key, proposedKey, line }];
  });
  return { events, isComplete: isComplete && isWhole };
}

/** Records in pieces of about `PIECE_BYTES`, each with the places of its events. */
function* piecesOf(
  records: RecentRecords,
): Generator<{ positions: number[]; body: Buffer; ranges: number[] }> {
  let [positions, parts, ranges, bytes]: [number[], Buffer[], number[], number] = [[], [], [], 0];
  for (const { position, eventBytes } of records) {
    positions.push(position);
    parts.push(eventBytes);
    ranges.push(bytes, bytes + eventBytes.length);
    bytes += eventBytes.length;
    if (bytes < PIECE_BYTES) continue;
    yield { positions, body: Buffer.concat(parts), ranges };
    [positions, parts, ranges, bytes] = [[], [], [], 0];
  }
  if (positions.length > 0) yield { positions, body: Buffer.concat(parts), ranges };
}
