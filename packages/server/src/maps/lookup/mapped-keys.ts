import { hash } from 'node:crypto';
import type { GroupingKey } from '@culprit/evidence/events/fingerprint/fingerprint';
import { fingerprintInputs } from '@culprit/evidence/events/fingerprint/fingerprint-inputs';
import { type GroupingKeyMaker, mappedKey } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Database } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { GroupingSettings } from '../../workspace/projects/grouping-settings.queries.ts';
import { countFrames, measureLookUp, showCache } from '../map-metrics.ts';
import { BoundedCache } from './bounded-cache.ts';
import { createKeptForms, type KeptForms } from './kept-forms.ts';
import {
  createNameMemory,
  type MapContext,
  mapContextOf,
  type NameMemory,
  openMapSession,
} from './map-session.ts';
import { touchSourceMaps } from './names.queries.ts';

/** Makes grouping keys of events with what source maps say of their frames. */
export interface MappedKeys {
  keyOf: GroupingKeyMaker;
  /** Returns true if everything was cached that the last key needed. */
  isComplete(): boolean;
  /** Loads what was not known. */
  load(): Promise<void>;
}

/** The source maps in the memory of a thread. */
export interface MapMemory {
  forms: KeptForms;
  names: NameMemory;
  /** Keys of whole events. */
  keys: BoundedCache<GroupingKey>;
  /** The time at which events last needed a source map, as this thread recorded it; milliseconds since the epoch. */
  needed: BoundedCache<number>;
}

/** Keys of whole events that are remembered. */
const KEYS_MAX = 20_000;
const NEEDED_EVERY_MS = 3_600_000;

export function createMapMemory(objects: ObjectStore): MapMemory {
  const forms = createKeptForms(objects);
  showCache(forms.sizeBytes);
  return {
    forms,
    names: createNameMemory(),
    keys: new BoundedCache(KEYS_MAX),
    needed: new BoundedCache(KEYS_MAX),
  };
}

/** Counts the frames of events, and writes down that they needed their source maps, so that retention keeps those
 * (docs/contract/source-maps.md 2.3). */
export async function keepNeeded(
  { database, memory }: { database: Database; memory: MapMemory },
  projectId: string,
  keys: readonly (Pick<GroupingKey, 'mapping'> | null)[],
): Promise<void> {
  for (const key of keys) if (key?.mapping) countFrames(key.mapping);
  const nowMs = Date.now();
  const ids = new Set(keys.flatMap((key) => key?.mapping?.sourceMapIds ?? []));
  const due = [...ids].filter((id) => (memory.needed.get(id) ?? 0) <= nowMs - NEEDED_EVERY_MS);
  if (due.length === 0) return;
  await touchSourceMaps(database, projectId, due);
  for (const id of due) memory.needed.set(id, nowMs);
}

/** @param rawKey of events as they were sent */
export function createMappedKeys(
  { database, memory }: { database: Database; memory: MapMemory },
  projectId: string,
  { stackRules, mapsVersion }: GroupingSettings,
  rawKey: GroupingKeyMaker,
): MappedKeys {
  const { forms, names, keys } = memory;
  const session = openMapSession({ database, forms, names, projectId, mapsVersion, hasLines: false });
  let isComplete = true;

  function keyOf(event: NormalizedEvent): GroupingKey | null {
    isComplete = true;
    const raw = rawKey(event, stackRules);
    const context = raw?.hasFrames === true ? mapContextOf(event) : null;
    if (raw === null || context === null) return raw;
    const mark = markOf(event, context);
    const known = mark === null ? undefined : keys.get(mark);
    if (known !== undefined) return known;
    const places = session.placesOf(context);
    const key = mappedKey(event, raw, stackRules, places.lookUp);
    isComplete = places.isComplete();
    if (mark !== null && isComplete && !isPassing(key)) keys.set(mark, key);
    return key;
  }

  /** Everything that the key depends on; null where the deployments of the moment decide. */
  function markOf(event: NormalizedEvent, context: MapContext): string | null {
    if (context.release === null) return null;
    const { debugIds, release, pageHost } = context;
    const inputs = fingerprintInputs(
      JSON.stringify([projectId, mapsVersion, release, pageHost, debugIds]),
      event,
      stackRules,
      'key',
    );
    return inputs === null ? null : hash('sha1', JSON.stringify(inputs), 'base64');
  }

  return { keyOf, isComplete: () => isComplete, load: () => measureLookUp(() => session.load()) };
}

/** The state of an upload for a missing map changes without a version. */
function isPassing({ mapping }: GroupingKey): boolean {
  return (
    mapping?.waits.some(({ reason }) => reason === 'map_processing' || reason === 'map_refused') === true
  );
}
