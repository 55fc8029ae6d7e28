import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';

/** The task of the thread that computes fingerprints. The bytes are transferred, not shared. */
export interface FingerprintTask {
  /** Bytes that hold the events, a request body for instance. */
  body: Uint8Array<ArrayBuffer>;
  /** Byte ranges of the events in it, as start and end pairs. */
  ranges: Uint32Array<ArrayBuffer>;
  /** The project's rules for in-app and library frames. */
  stackRules: readonly StackRule[];
  /** By what else stored events are grouped; null for events that are not accepted yet, of which only keys are needed. */
  proposal: Proposal | null;
  /** The time after which no further event of a proposal is begun. */
  workMs: number;
}

/** Other rules for grouping. */
export interface Proposal {
  stackRules: readonly StackRule[];
}

/** A stored event with its keys (version and fingerprint) by the rules in force and by a proposal. */
export interface RegroupedSignal {
  /** The id from the client; null when it sent none. */
  eventId: string | null;
  /** The service and the environment. */
  service: string;
  key: string;
  proposedKey: string;
  /** The event in one line. */
  line: string;
}

/**
 * `ready` is sent once, then one report for each task, in the order of the tasks. Events without a fingerprint are null;
 * `signals` is shorter than the task when its time was over.
 */
export type FingerprintReport =
  | { kind: 'ready' }
  | { kind: 'done'; fingerprints: (string | null)[] }
  | { kind: 'regrouped'; signals: (RegroupedSignal | null)[] };
