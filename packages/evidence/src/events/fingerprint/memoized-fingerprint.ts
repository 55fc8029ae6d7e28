import type { NormalizedEvent } from '../normalize/event.ts';
import { fingerprintEvent, type GroupingKey, groupingKeyOf } from './fingerprint.ts';
import { fingerprintInputs } from './fingerprint-inputs.ts';
import { withMaskedNumbers } from './masked-numbers.ts';
import { createRecentMemory } from './recent-memory.ts';
import type { Fingerprint } from './sealed-fingerprint.ts';
import type { MapPlaces } from './stack/mapped-frames.ts';
import type { StackRule } from './stack/stack-rules.ts';

/** `fingerprintEvent`, which may remember what it was asked before. */
export type Fingerprinter = (event: NormalizedEvent, rules?: readonly StackRule[]) => Fingerprint | null;

/** The grouping key of an event, which may be remembered; null for the types that have none. */
export type GroupingKeyMaker = (event: NormalizedEvent, rules?: readonly StackRule[]) => GroupingKey | null;

/**
 * `fingerprintEvent` with a memory of at most `entriesMax` events, because repeated errors are byte-identical.
 * Equal events get the same object: do not change what it returns.
 */
export function createFingerprinter(options: { entriesMax: number }): Fingerprinter {
  const memory = createRecentMemory<Fingerprint | null>(options.entriesMax);
  return (event, rules = []) => {
    const inputs = fingerprintInputs('', event, rules);
    return inputs === null ? null : memory.recall(inputs, () => fingerprintEvent(event, rules));
  };
}

/** Kept for texts whose key depends on a number that was thought to say nothing. */
const DIFFERS = 'differs';

/**
 * The grouping key alone, with a memory of at most `entriesMax` texts. What its message counts (`Order 4711 …`) hardly
 * ever takes part in a key, so that events which differ in such a number alone share one entry, once it is seen that the
 * number makes no difference. Equal events get the same object: do not change what it returns.
 */
export function createGroupingKeyMaker(options: { entriesMax: number }): GroupingKeyMaker {
  const memory = createRecentMemory<GroupingKey | null | typeof DIFFERS>(options.entriesMax);
  return (event, rules = []) => {
    const make = (each: NormalizedEvent) => {
      const fingerprint = fingerprintEvent(each, rules);
      return fingerprint === null ? null : groupingKeyOf(fingerprint);
    };
    const alike = withMaskedNumbers(event);
    const inputs = fingerprintInputs(alike === null ? 'unmasked' : 'masked', alike ?? event, rules, 'key');
    if (inputs === null) return null;
    if (alike === null) {
      const key = memory.recall(inputs, () => make(event));
      return key === DIFFERS ? null : key;
    }
    const key = memory.recall(
      inputs,
      () => make(event),
      (made) => (isSameKey(made, make(alike)) ? made : DIFFERS),
    );
    return key === DIFFERS ? make(event) : key;
  };
}

function isSameKey(a: GroupingKey | null | typeof DIFFERS, b: GroupingKey | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The grouping key of an event of which source maps may know frames: that of the mapped frames, with the one that the
 * event has as it was sent.
 * @param raw the key as it was sent
 */
export function mappedKey(
  event: NormalizedEvent,
  raw: GroupingKey,
  rules: readonly StackRule[],
  lookUp: MapPlaces,
): GroupingKey {
  const fingerprint = fingerprintEvent(event, rules, lookUp);
  if (fingerprint === null || fingerprint.mapping === null) return raw;
  const { mapping } = fingerprint;
  if (mapping.mapped === 0) return { ...raw, mapping };
  const { version, value, matchedFields, rule } = raw;
  const isNamed = matchedFields.includes('top_frames') && rule !== 'minified_files';
  const rawKey = { version, value, isNamed, mappedJson: fingerprint.materialJson };
  return { ...groupingKeyOf(fingerprint), rawKey };
}
