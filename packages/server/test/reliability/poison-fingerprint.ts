import { workerData } from 'node:worker_threads';
import type { GroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import {
  createFingerprinter as createRealFingerprinter,
  createGroupingKeyMaker as createRealGroupingKeyMaker,
} from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { Fingerprint } from '@culprit/evidence/events/fingerprint/sealed-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';

/** What real events should never do to the worker, done to threads for events by exceptions of these names. */
export const POISONS = ['ThrowingPoison', 'LoopingPoison', 'HungryPoison'] as const;
/** The same to threads for bundles. */
export const BUNDLE_POISON = 'LoopingBundlePoison';

/** The real fingerprints, except for poison. Takes the place of the module of the same functions. */
export function createFingerprinter(options: {
  entriesMax: number;
}): (event: NormalizedEvent) => Fingerprint | null {
  const fingerprint = createRealFingerprinter(options);
  return (event) => {
    if (event.payload.kind === 'exception') takePoison(event.payload.name);
    return fingerprint(event);
  };
}

/** The real grouping keys, except for poison. */
export function createGroupingKeyMaker(options: { entriesMax: number }): GroupingKeyMaker {
  const keyOf = createRealGroupingKeyMaker(options);
  return (event, rules) => {
    if (event.payload.kind === 'exception') takePoison(event.payload.name);
    return keyOf(event, rules);
  };
}

function takePoison(name: string): void {
  if (workerData.duty === 'bundles') {
    if (name === BUNDLE_POISON) for (;;);
    return;
  }
  if (name === 'ThrowingPoison') throw new Error('this event is poison');
  if (name === 'LoopingPoison') for (;;);
  if (name === 'HungryPoison') {
    const eaten: number[][] = [];
    for (;;) eaten.push(new Array(100_000).fill(eaten.length + 0.5));
  }
}
