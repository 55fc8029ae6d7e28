import type { JsonObject } from '../events/envelope/json.ts';
import { objectOrEmpty } from '../events/envelope/read-json.ts';
import { clientKey, clientKeys } from '../events/fingerprint/client-fingerprint.ts';
import { failureDigest } from '../events/fingerprint/failure-digest.ts';
import type { AvailabilityKey, GroupingKey } from '../events/fingerprint/fingerprint.ts';
import type { EventClass, EventType, NormalizedEvent, Severity } from '../events/normalize/event.ts';
import { eventSeverity } from '../events/normalize/event-severity.ts';
import { eventIdOf, normalizeEvent } from '../events/normalize/normalize-event.ts';
import { countedParts, type OpenParts } from '../events/normalize/open-parts.ts';
import type { EventOutline } from '../events/outline/event-outline.ts';
import { eventIdKey } from '../events/redact/event-id-key.ts';
import { identifierHash } from '../events/redact/identifier-hash.ts';

/** The event intake's decision about an event. */
export interface Acceptance {
  eventClass: EventClass;
  isDemoted: boolean;
  /** It came with a token that browsers hold. */
  isOriginBound: boolean;
  receivedAtMs: number;
  /** The id of an event whose client gave it none. */
  derivedId: () => string;
}

/** An accepted event as incidents count it. */
export interface JudgedEvent {
  /** With no more of its open parts than `countedParts`. */
  event: NormalizedEvent;
  /** The hashes of `correlationHashes`. */
  hashes: { trace: bigint | null; request: bigint | null; session: bigint | null };
  /**
   * For a counted signal, the keys under which its library may report repeats of it; for such a report, the key that it
   * names (docs/contract/incidents.md 5.10).
   */
  clientKeys: readonly bigint[];
  /** The result of `failureDigest`. */
  digest: bigint | null;
  /** Hash of the client's own event id; null when the id was derived. */
  idHash: bigint | null;
  /** Null unless the event is a signal, also one that is kept without incident. */
  fingerprint: GroupingKey | AvailabilityKey | null;
  severity: Severity;
}

/**
 * Normalizes and fingerprints an accepted event and judges its severity (docs/contract/incidents.md 5).
 * @param raw as it was stored: checked and sanitized
 * @param open what is read of its open parts; tests read all of them
 */
export function judgeEvent(
  raw: JsonObject,
  acceptance: Acceptance,
  keyOf: (event: NormalizedEvent) => GroupingKey | AvailabilityKey | null,
  open: OpenParts = countedParts(raw.event_type),
): JudgedEvent {
  const { eventClass, isDemoted, receivedAtMs } = acceptance;
  const clientId = clientIdOf(raw);
  const event = normalizeEvent(raw, { eventId: clientId ?? acceptance.derivedId(), receivedAtMs }, open);
  const isSignal = eventClass === 'incident_signal';
  const fingerprint = isSignal || isDemoted ? keyOf(event) : null;
  return {
    event,
    ...hashedParts(raw, event, clientKeysOf(event, isSignal && !isDemoted, objectOrEmpty(raw.payload))),
    fingerprint,
    severity: eventSeverity(event, {
      isServerToken: !acceptance.isOriginBound,
      isImmediateFailure: isSignal,
      hasFrames: fingerprint?.hasFrames ?? false,
    }),
  };
}

/** The parts of an event that differ from those of other events with the same outline. */
type OwnParts = Pick<JudgedEvent, 'hashes' | 'clientKeys' | 'digest' | 'idHash'> &
  Pick<NormalizedEvent, 'eventId' | 'effectiveAtMs' | 'receivedAtMs' | 'correlation'>;

/**
 * The own parts of an exception of which everything else is known by its outline, as `judgeEvent` returns them.
 * @param library the name of its client library
 */
export function ownParts(
  raw: JsonObject,
  { eventClass, isDemoted, receivedAtMs, derivedId }: Acceptance,
  { own: { effectiveAtMs, correlation } }: EventOutline,
  library: string,
): OwnParts {
  const isCounted = eventClass === 'incident_signal' && !isDemoted;
  const keys = isCounted
    ? clientKeys(library, raw.event_type as EventType, objectOrEmpty(raw.payload))
    : NO_KEYS;
  return {
    eventId: eventIdOf(clientIdOf(raw) ?? derivedId()),
    effectiveAtMs,
    receivedAtMs,
    correlation,
    ...hashedParts(raw, { correlation }, keys),
  };
}

const NO_KEYS: readonly bigint[] = [];

function clientIdOf(raw: JsonObject): string | null {
  return Object.hasOwn(raw, 'event_id') && typeof raw.event_id === 'string' ? raw.event_id : null;
}

function hashedParts(
  raw: JsonObject,
  event: Pick<NormalizedEvent, 'correlation'>,
  keys: readonly bigint[],
): Pick<JudgedEvent, 'hashes' | 'clientKeys' | 'digest' | 'idHash'> {
  const clientId = clientIdOf(raw);
  return {
    hashes: correlationHashes(event),
    clientKeys: keys,
    digest: failureDigest(raw),
    idHash: clientId === null ? null : eventIdKey(clientId),
  };
}

/** Hashes of the ids by which events find each other. */
export function correlationHashes({
  correlation,
}: Pick<NormalizedEvent, 'correlation'>): JudgedEvent['hashes'] {
  return {
    trace: hashOrNull(correlation.traceId),
    request: hashOrNull(correlation.requestId),
    session: hashOrNull(correlation.sessionId),
  };
}

function clientKeysOf(event: NormalizedEvent, isCounted: boolean, payload: JsonObject): readonly bigint[] {
  if (event.payload.kind === 'suppressed') {
    const { fingerprint } = payload;
    return typeof fingerprint === 'string' ? [clientKey(fingerprint)] : [];
  }
  return isCounted ? clientKeys(event.sdk.name, event.eventType, payload) : [];
}

function hashOrNull(id: string | null): bigint | null {
  return id === null ? null : identifierHash(id);
}
