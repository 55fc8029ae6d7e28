import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';

/** What the thread that computes fingerprints is asked. The bytes are handed over, not shared. */
export interface FingerprintTask {
  /** A request body, or as much of it as holds the events. */
  body: Uint8Array<ArrayBuffer>;
  /** Byte ranges of the events in it, as start and end pairs. */
  ranges: Uint32Array<ArrayBuffer>;
  /** What the project says about own and foreign code. */
  stackRules: readonly StackRule[];
}

/** `ready` comes once, the fingerprints (null for events that have none) for each task, in its order. */
export type FingerprintReport = { kind: 'ready' } | { kind: 'done'; fingerprints: (string | null)[] };
