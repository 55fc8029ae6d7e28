import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import type { Logger } from 'pino';
import type { BodyProblem, ReadBodyResult } from '../../../platform/http/binding/read-body.ts';
import type { ByteClaim } from '../../../platform/http/binding/request-body.ts';
import type { Budget, Claim } from '../../../platform/http/limits/budget.ts';
import type { LoopScheduler } from '../../../platform/http/limits/loop-scheduler.ts';
import type { BodyScheduler } from '../body-scheduler.ts';
import type { IntakeWindow } from '../intake-window.ts';
import type { KeyFacts } from './foreign-keys.queries.ts';
import type { ForeignKeys } from './foreign-keys.ts';
import type { ForeignRefusal } from './foreign-refusal.ts';
import type { KindOutcome } from './kind-counts.ts';
import type { KindLedger } from './kind-ledger.ts';
import type { MappedBatch } from './mapped-batch.ts';
import type { ReportDesk } from './reports/report-desk.ts';

/** The resources of the event intake for foreign events: one in each API process. */
export interface ForeignIntake {
  window: IntakeWindow;
  keys: ForeignKeys;
  bodies: BodyScheduler;
  kinds: KindLedger;
  reports: ReportDesk;
  /** The budget of bodies until they have named their key, by client. */
  beacons: Budget;
  loop: LoopScheduler;
  /** Returns true if the event loop is late, and requests wait for their place. */
  isLate: () => boolean;
  hasFreeSpace: () => boolean;
  /** The capture policy in force for a key. */
  policyOf: (key: KeyFacts) => ResolvedCapturePolicy;
  /** Records a check-in of a scheduled job, which is no event. */
  recordCheckIn: (projectId: string, checkIn: JsonObject) => Promise<CheckInOutcome>;
  log: Logger;
}

/** The outcome of a check-in, and the reason why it was not accepted. */
export interface CheckInOutcome {
  outcome: KindOutcome;
  reason: 'invalid_event' | 'unknown_monitor' | 'over_limit' | null;
}

/** The parts of a foreign request that the event intake needs. */
export interface ForeignRequest {
  headers: IncomingHttpHeaders;
  /** The raw `Content-Type`, which the headers do not have. */
  contentType: string | undefined;
  /** The raw text after the `?`. */
  queryText: string;
  /** The client's address, or its network. */
  clientKey: string;
  openClaim: (sender: string) => Claim;
  /** Reads the body, decoded, into the sink. */
  readBody: (claim: ByteClaim, options: BodyBounds & { sink: BodySink }) => Promise<ReadBodyResult>;
}

export interface BodyBounds {
  /** Bytes over the wire. */
  wireBytesMax: number;
  /** Decoded bytes, when so many came over the wire. */
  bytesMax: (wireBytes: number) => number;
}

interface BodySink {
  add(chunk: Buffer): BodyProblem | null;
}

/** Takes the body of one request as it comes, decoded. */
export interface BodyReader {
  /** Takes one piece; says what is wrong with the body so far. */
  add(chunk: Buffer): ForeignRefusal | null;
  /** Bytes that it keeps, which are counted. */
  readonly keptBytes: number;
  /** The key that the body itself names: undefined while that is not known, null for none. */
  readonly ownKey: string | null | undefined;
}

/**
 * The way in which one protocol reads its requests. `acceptForeign` finds the key, judges number and origin, reads the
 * body within the bounds, and passes the events to the window of the event intake.
 */
export interface ForeignProtocol<Reader extends BodyReader, Content> {
  /** The key that headers and query name; null for none. */
  key: string | null;
  /** True if project tokens are keys here. */
  takesProjectTokens: boolean;
  /** The number of the project in the address; null if the address has none. */
  number: string | null;
  bounds: BodyBounds;
  /** @param isKeyKnown whether headers or query named a key, so that the body is that of a known sender */
  openReader: (isKeyKnown: boolean) => Reader;
  /**
   * Reads the complete body, in slices: each event is added to the batch when it is mapped. The result is returned
   * together with the outcome.
   */
  read: (
    reader: Reader,
    known: { key: KeyFacts; receivedAtMs: number; batch: MappedBatch },
  ) => Sliced<Content | ForeignRefusal>;
  /**
   * The origin for a request without `Origin`, from what was read (reports of browsers). Absent: requests without one
   * are judged as such.
   */
  originOf?: (content: Content) => string | null;
}

/** The result of one foreign request. */
export type ForeignResult<Content> = {
  /** Null where none was named, or an unknown one. */
  key: KeyFacts | null;
} & (
  | { refusal: ForeignRefusal }
  | {
      refusal?: undefined;
      key: KeyFacts;
      content: Content;
      /** Events that are stored. */
      accepted: number;
      /** Events that are not, by their index in the batch. */
      refused: readonly { index: number; count: number; reason: string }[];
      batch: MappedBatch;
    }
);

export function isRefusal(value: unknown): value is ForeignRefusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}
