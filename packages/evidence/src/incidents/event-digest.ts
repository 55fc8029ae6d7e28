import { hash } from 'node:crypto';
import type { JsonObject } from '../events/envelope/json.ts';
import { objectOrEmpty } from '../events/envelope/read-json.ts';
import { clientKeys } from '../events/fingerprint/client-fingerprint.ts';
import type { EventType, NormalizedEvent } from '../events/normalize/event.ts';
import { eventIdOf, libraryOf } from '../events/normalize/normalize-event.ts';
import { senderClock } from '../events/normalize/sender-clock.ts';
import type { EventOutline } from '../events/outline/event-outline.ts';
import { identifierHash } from '../events/redact/identifier-hash.ts';
import { messageFacts } from './event-search-facts.ts';
import { ownTagsOf } from './event-tags.ts';
import { type Acceptance, clientIdOf, hashedParts, type JudgedEvent } from './judge-event.ts';

/**
 * The parts of an event that counting needs where its outline was judged before: the outline's hash, and its own parts. It follows
 * from the event alone, so that the event intake makes it of the parsed event, and nothing has to parse it again.
 */
export interface EventDigest extends Pick<JudgedEvent, 'hashes' | 'clientKeys' | 'digest' | 'idHash'> {
  /** 16 bytes of the hash of its outline, one in each character. */
  kind: string;
  occurredAtMs: number | null;
  /** The stored form of the id that its client gave it. */
  eventId: string | null;
  userHash: bigint | null;
  /** The message by which it is searched, where its outline has other digits. */
  message: string | null;
  /** Its own tags as JSON, as they were sent. */
  tags: string | null;
}

export const KIND_BYTES = 16;
/** Events with more tags have no digest. */
const TAGS_CHARS_MAX = 1024;

/** Returns the digest of an event with an outline; null for one that only its own text can say. */
export function digestOf(raw: JsonObject, outline: EventOutline): EventDigest | null {
  const { correlation, occurredAtMs } = outline.own;
  const tags = ownTagsOf(raw);
  const tagsText = tags === null ? null : JSON.stringify(tags);
  if (tags !== null && (tagsText === null || tagsText.length > TAGS_CHARS_MAX || !isWritten(tags)))
    return null;
  const clientId = clientIdOf(raw);
  const keys = clientKeys(libraryOf(raw), raw.event_type as EventType, objectOrEmpty(raw.payload));
  return {
    ...hashedParts(raw, { correlation }, keys),
    kind: kindOf(outline),
    occurredAtMs,
    eventId: clientId === null ? null : eventIdOf(clientId),
    userHash: correlation.userIdHash === null ? null : identifierHash(correlation.userIdHash),
    message: outline.ownMessage === null ? null : messageFacts(outline.ownMessage),
    tags: tagsText,
  };
}

/** Returns whether the text of tags has their values: it has none of a number that is too large. */
function isWritten(tags: JsonObject): boolean {
  for (const key in tags) {
    const value = tags[key];
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
  }
  return true;
}

/** No text of JSON has a line break, so the ends of the three are clear. */
function kindOf({ code, presence, labels, ownMessage }: EventOutline): string {
  const text = `${ownMessage === null ? '' : 'masked'}\n${code}\n${presence}\n${labels}`;
  return hash('sha256', text, 'binary').slice(0, KIND_BYTES);
}

/** The parts of an event that differ from those of others of its kind, as `judgeEvent` returns them. */
interface OwnParts
  extends Pick<JudgedEvent, 'hashes' | 'clientKeys' | 'digest' | 'idHash'>,
    Pick<NormalizedEvent, 'eventId' | 'effectiveAtMs' | 'receivedAtMs'> {
  userHash: bigint | null;
}

/** The own parts of an event that was accepted. */
export function ownParts(
  { hashes, clientKeys, digest, idHash, occurredAtMs, eventId, userHash }: EventDigest,
  { eventClass, isDemoted, receivedAtMs, derivedId }: Acceptance,
): OwnParts {
  return {
    hashes,
    clientKeys: eventClass === 'incident_signal' && !isDemoted ? clientKeys : NO_KEYS,
    digest,
    idHash,
    eventId: eventId ?? eventIdOf(derivedId()),
    effectiveAtMs: senderClock(occurredAtMs ?? receivedAtMs, receivedAtMs).effectiveAtMs,
    receivedAtMs,
    userHash,
  };
}

const NO_KEYS: readonly bigint[] = [];
