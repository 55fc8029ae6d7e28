import type { BudgetLimits } from './budget.ts';

/** Every bound of the HTTP server (docs/contract/reliability.md A6 and A12, docs/contract/account.md 10). */
export interface HttpLimits {
  /** Request line and headers together. */
  headerBytesMax: number;
  headersMax: number;
  headersTimeoutMs: number;
  /** From the first byte of a request to the last byte of its body: 408. */
  requestTimeoutMs: number;
  /** A body that sends nothing for this long: 408. */
  silentBodyTimeoutMs: number;
  /** The time that an operation can take; after it: 503. */
  operationTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** Neither a byte read nor written: a client that does not fetch its answer is let go. */
  socketIdleTimeoutMs: number;
  connectionsCheckIntervalMs: number;
  connectionsMax: number;
  /** Bodies everywhere but at ingestion. */
  managementBodyBytesMax: number;
  /** Bodies of events, after decoding. */
  ingestionBodyBytesMax: number;
  /** The bytes of a refused body that are read and discarded before the connection is cut. */
  discardBytesMax: number;
  ingestion: BudgetLimits;
  management: BudgetLimits;
  /** Parts of files. */
  uploads: BudgetLimits;
  /** The bytes of answers that are kept in memory until their clients fetch them. */
  pendingAnswerBytesMax: number;
  loopDelayMaxMs: number;
  loopDelaySpanMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  headersTimeoutMs: 5000,
  requestTimeoutMs: 30_000,
  silentBodyTimeoutMs: 10_000,
  operationTimeoutMs: 30_000,
  // Above the 60 s after which most load balancers drop idle connections themselves.
  keepAliveTimeoutMs: 75_000,
  socketIdleTimeoutMs: 60_000,
  connectionsCheckIntervalMs: 1000,
  connectionsMax: 4096,
  managementBodyBytesMax: 256 * 1024,
  ingestionBodyBytesMax: 1024 * 1024,
  discardBytesMax: 8 * 1024 * 1024,
  ingestion: { requestsMax: 256, bytesMax: 32 * 1024 * 1024 },
  management: { requestsMax: 256, bytesMax: 8 * 1024 * 1024 },
  uploads: { requestsMax: 16, bytesMax: 64 * 1024 * 1024 },
  pendingAnswerBytesMax: 32 * 1024 * 1024,
  loopDelayMaxMs: 250,
  loopDelaySpanMs: 2000,
};
