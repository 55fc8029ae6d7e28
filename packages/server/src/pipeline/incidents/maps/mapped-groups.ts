import type { RawKey } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { Transaction } from '../../../platform/db/database.ts';
import { findKnownIncidents, type IncidentKey, incidentKey } from '../processing/locked-incidents.queries.ts';
import type { ReadEvent } from '../processing/read-batches.ts';
import { insertMapAliases, takeMappedKey } from './mapped-groups.queries.ts';

/** The signals of one key. */
interface KeyedSignals {
  key: IncidentKey;
  signals: readonly Pick<ReadEvent, 'fingerprint'>[];
}

/** The key that a signal has as it was sent, where source maps gave it another one. */
export function rawKeyOf(signal: Pick<ReadEvent, 'fingerprint'> | undefined): RawKey | null {
  const fingerprint = signal?.fingerprint ?? null;
  return fingerprint !== null && 'rawKey' in fingerprint ? fingerprint.rawKey : null;
}

/**
 * Lets an incident that was opened before its source maps arrived take its first mapped key
 * (docs/contract/source-maps.md 5.5, rule 2): it continues without a new one. Other failures under its raw key open
 * their own incidents.
 * @param known incidents by `incidentKey`; the joined keys are added
 * @returns incidents that raw keys lead to, by `incidentKey`
 */
export async function joinUnmapped(
  transaction: Transaction,
  projectId: string,
  open: readonly KeyedSignals[],
  known: Map<string, string>,
): Promise<Map<string, string>> {
  const asked = open.flatMap(({ key, signals }) => {
    const raw = rawKeyOf(signals[0]);
    return raw === null || known.has(incidentKey(key)) ? [] : [{ key, raw: keyOfRaw(key, raw) }];
  });
  if (asked.length === 0) return new Map();
  const leading = await findKnownIncidents(
    transaction,
    asked.map(({ raw }) => raw),
  );
  const free = await takeMappedKey(transaction, [...new Set(leading.values())]);
  const joined: { key: IncidentKey; incidentId: string }[] = [];
  for (const { key, raw } of asked) {
    const incidentId = leading.get(incidentKey(raw));
    // The first mapped key alone.
    if (incidentId === undefined || !free.delete(incidentId)) continue;
    joined.push({ key, incidentId });
    known.set(incidentKey(key), incidentId);
    // The same key of another sender is this one.
    known.set(incidentKey({ ...key, isBrowser: !key.isBrowser }), incidentId);
  }
  insertMapAliases(transaction, projectId, joined, 'mapped');
  return leading;
}

/**
 * Lets raw keys with names that people wrote lead to the incidents that were created from mapped ones, so that events
 * without a map still join (rule 3). A minified one would fuse failures that the map distinguishes.
 */
export function leadUnmappedKeys(
  transaction: Transaction,
  projectId: string,
  open: readonly KeyedSignals[],
  found: {
    /** Incidents that this transaction made. */
    ours: { has(incidentId: string): boolean };
    /** Incidents that raw keys lead to already, by `incidentKey`. */
    unmapped: ReadonlyMap<string, string>;
    idOf: (key: IncidentKey) => string | undefined;
  },
): void {
  const led = open.flatMap(({ key, signals }) => {
    const raw = rawKeyOf(signals[0]);
    const incidentId = found.idOf(key);
    if (raw === null || !raw.isNamed || incidentId === undefined || !found.ours.has(incidentId)) return [];
    const rawKey = keyOfRaw(key, raw);
    return found.unmapped.has(incidentKey(rawKey)) ? [] : [{ key: rawKey, incidentId }];
  });
  insertMapAliases(transaction, projectId, led, 'unmapped');
}

function keyOfRaw(key: IncidentKey, { version, value }: RawKey): IncidentKey {
  return { ...key, version, value };
}
