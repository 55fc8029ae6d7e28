import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Transaction } from '../../../platform/db/database.ts';
import { rawKeyOf } from '../maps/mapped-groups.ts';
import { wholeEvent } from '../processing/counted-event.ts';
import type { IncidentKey, NewIncident } from '../processing/locked-incidents.queries.ts';
import type { ReadEvent } from '../processing/read-batches.ts';
import { type KeyReleases, keyText, type LearnedSlots, learnSlots, type UnknownKey } from './learn-slots.ts';
import type { SlotKey } from './slot-groups.ts';
import { insertSlotKeys, openSlots } from './slots.queries.ts';

/** Incidents that become one once the signals of the transaction are counted. */
export interface PendingMerge {
  from: string;
  into: string;
  slot: SlotKey;
  isBrowser: boolean;
}

/** The results of the slots of new keys, when it is known which incidents this transaction really created. */
interface SlotJoins {
  /** By the text of a new key, the incident that it joins. */
  joined: ReadonlyMap<string, string>;
  /** Incidents that have to be held with the others. */
  incidentIds: readonly string[];
  /** Writes slots and keys of the incidents that are held, and returns the merges among them. */
  write(transaction: Transaction, isHeld: (incidentId: string) => boolean): Promise<PendingMerge[]>;
}

const NOTHING: LearnedSlots = { joined: new Map(), merges: [], opened: [] };

/**
 * Lets slots decide about keys that would open incidents (docs/contract/grouping.md 3): those that join one are removed
 * from `made`.
 * @param keys.keyText distinguishes new incidents from each other
 */
export async function joinSlots(
  transaction: Transaction,
  projectId: string,
  keys: {
    open: readonly { key: IncidentKey; signals: readonly ReadEvent[] }[];
    made: Map<string, NewIncident>;
    keyText: (key: IncidentKey) => string;
  },
  rules: readonly StackRule[] | null,
): Promise<{ settle(actualId: (keyText: string) => string | undefined): SlotJoins }> {
  const unknown = rules === null ? new Map<string, UnknownKey>() : unknownKeys(keys);
  const learned =
    unknown.size === 0 || rules === null
      ? NOTHING
      : await learnSlots(transaction, projectId, [...unknown.values()], rules, releasesOf(keys.open));
  const textOf = new Map([...unknown].map(([text, { incidentId }]) => [incidentId, text]));
  for (const { incidentId } of learned.joined.keys()) keys.made.delete(textOf.get(incidentId) ?? '');
  return {
    settle(actualId) {
      // Another transaction may have created the incident of a key since: then that one counts.
      const actual = (incidentId: string) => {
        const text = textOf.get(incidentId);
        return (text === undefined ? undefined : actualId(text)) ?? incidentId;
      };
      const joined = new Map(
        [...learned.joined].map(([key, { incidentId }]) => [
          textOf.get(key.incidentId) ?? '',
          actual(incidentId),
        ]),
      );
      const merges = learned.merges.map((each) => ({
        ...each,
        from: actual(each.from),
        into: actual(each.into),
      }));
      return {
        joined,
        incidentIds: [...joined.values(), ...merges.flatMap(({ from, into }) => [from, into])],
        async write(written, isHeld) {
          const opened = learned.opened.map((each) => ({ ...each, incidentId: actual(each.incidentId) }));
          await openSlots(
            written,
            projectId,
            opened.filter(({ incidentId }) => isHeld(incidentId)),
          );
          const keyRows = [...learned.joined].map(([key, { incidentId, slot }]) => ({
            ...slot,
            fingerprint: key.fingerprint,
            isBrowser: key.isBrowser,
            incidentId: actual(incidentId),
          }));
          await insertSlotKeys(
            written,
            projectId,
            keyRows.filter(({ incidentId }) => isHeld(incidentId)),
          );
          return merges.filter(({ from, into }) => from !== into && isHeld(from) && isHeld(into));
        },
      };
    },
  };
}

/** A key may arrive in several releases together, of which its incident counts only the first so far. */
function releasesOf(open: Parameters<typeof joinSlots>[2]['open']): KeyReleases {
  const releases = new Map<string, Set<string>>();
  for (const { key, signals } of open) {
    const text = keyText(key.serviceId, key.value);
    const known = releases.get(text) ?? new Set();
    releases.set(text, known);
    for (const { event } of signals) if (event.release !== null) known.add(event.release);
  }
  return releases;
}

/** Kinds of fingerprints that hold a message. */
const WORDED: ReadonlySet<string> = new Set(['exception', 'log', 'window']);

/** Keys that would open incidents, by the text of their key, in the order of arrival. */
function unknownKeys({ open, made, keyText }: Parameters<typeof joinSlots>[2]): Map<string, UnknownKey> {
  const unknown = new Map<string, UnknownKey>();
  for (const { key, signals } of open) {
    const text = keyText(key);
    const incident = made.get(text);
    const [first] = signals;
    if (incident === undefined || first === undefined || !WORDED.has(incident.fingerprintKind)) continue;
    if (first.sampleId !== null) continue;
    const known = unknown.get(text);
    if (known !== undefined) {
      // Servers send it too, so that it is not a browser's alone.
      known.isBrowser &&= key.isBrowser;
      continue;
    }
    unknown.set(text, {
      incidentId: incident.incidentId,
      firstSeenAtMs: incident.state.firstSeenAtMs,
      serviceId: key.serviceId,
      fingerprint: key.value,
      isBrowser: key.isBrowser,
      event: wholeEvent(first),
      release: first.event.release,
      mappedJson: rawKeyOf(first)?.mappedJson ?? null,
    });
  }
  return unknown;
}
