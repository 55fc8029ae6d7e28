import type { DiagnosticCode, DiagnosticData } from '../diagnostics.ts';
import type { JsonValue } from '../wire.ts';

/** The form in which a batch is sent: `body` is complete JSON, `events` the number of events in it. */
export interface Batch {
  body: string;
  events: number;
}

/** The answer; status 0 is no answer (network failure, timeout), with the error's code in `code`. */
export interface Answer {
  status: number;
  /** Names in lower case; `retry-after` and `date` are read. */
  headers?: Readonly<Record<string, string | undefined>> | undefined;
  body?: string | undefined;
  code?: string;
}

/**
 * Everything that touches the outside world. Core has no timer, no I/O and reads no global, so the platform package
 * passes these in, and tests pass their own.
 */
export interface Host {
  /** Milliseconds since the epoch, by the host's own clock. */
  now(): number;
  /** `bytes` random bytes. */
  random(bytes: number): ArrayLike<number> & Iterable<number>;
  /** Calls `run` once after the delay, never in the same turn; timers must not keep a process alive. Returns a cancel. */
  schedule(delayMs: number, run: () => void): () => void;
  /** One request. A rejection or a throw counts as status 0. Own requests must not be captured. */
  send(batch: Batch): Promise<Answer>;
  /** `fingerprint` of suppression reports: SHA-256 hex in Node, `fnv1aHex` in browsers. */
  hash(text: string): string;
  /**
   * JSON for objects that only the platform knows (DOM nodes, streams, requests, proxies); undefined for every
   * other. It is asked before anything of the object is read, must not call getters, and may throw.
   */
  describe?(value: object): JsonValue | undefined;
  /** Recognizes errors of other realms, which `instanceof` does not. */
  isError?(value: object): boolean;
  /** False while there seems to be no network: what fails is tried again less often. */
  isOnline?(): boolean;
  /** Every diagnostic, each time: `createDiagnosticPrinter` makes lines of them and prints each code once. */
  onDiagnostic?(code: DiagnosticCode, data: DiagnosticData): void;
}
