import { readyPayload } from '../envelope/event-shapes.ts';
import { parseIsoTime } from '../envelope/iso-time.ts';
import type { JsonObject } from '../envelope/json.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { NormalizedEvent } from '../normalize/event.ts';
import { correlationOf, mergedContext } from '../normalize/event-context.ts';
import { senderClock } from '../normalize/sender-clock.ts';
import { collectUnnamed } from '../normalize/unnamed-keys.ts';
import { codeOutline } from './code-outline.ts';
import { countedTexts } from './counted-texts.ts';
import { labelOutline } from './label-outline.ts';
import { addressedRequests } from './outlined-exchange.ts';
import { type OutlinedType, presenceOutline } from './presence-outline.ts';

/**
 * An event without what makes no difference to how it is counted, in three parts that are events themselves: counting each
 * in the place of the event gives the same facts. Events that have a part in common are judged once.
 */
export interface EventOutline {
  /** Decides the grouping key and the severity. */
  code: string;
  /** Decides what it has to offer: which blocks are filled. */
  presence: string;
  /** Decides where it came from: service, library, release, and what its own parts say as tags. */
  labels: string;
  /** The message, where the code has other digits in it than the event; then it has no secret. */
  ownMessage: string | null;
  /** The parts of the event that no outline has. */
  own: { effectiveAtMs: number; correlation: NormalizedEvent['correlation'] };
}

/** Returns the outline of an event; null for the types that have none. */
export function outlineOf(raw: JsonObject, receivedAtMs: number): EventOutline | null {
  const eventType = raw.event_type;
  if (eventType !== 'backend_exception' && eventType !== 'frontend_exception') return null;
  const payload = objectOrEmpty(raw.payload);
  const context = mergedContext(eventType, raw, payload);
  const correlation = correlationOf(objectOrEmpty(raw.correlation), context, payload);
  const texts = countedTexts(payload);
  const requests = addressedRequests(eventType, payload, context);
  return {
    code: JSON.stringify(
      codeOutline(eventType, raw, { context, requests, payload: { ...payload, ...texts?.masked } }),
    ),
    presence: JSON.stringify(
      presenceOutline(eventType, raw, { context, correlation, hasOthers: hasOthers(eventType, payload) }),
    ),
    labels: JSON.stringify(labelOutline(eventType, raw, { context, requests })),
    ownMessage: texts?.ownMessage ?? null,
    own: { effectiveAtMs: effectiveTimeOf(raw, receivedAtMs), correlation },
  };
}

/** Returns whether the payload has anything that its table does not name; what a device does not name stays with it. */
function hasOthers(type: OutlinedType, payload: JsonObject): boolean {
  const unnamed = collectUnnamed(readyPayload(type), payload);
  for (const key in unnamed) if (key !== 'device') return true;
  return false;
}

function effectiveTimeOf(raw: JsonObject, receivedAtMs: number): number {
  const written = raw.timestamp ?? raw.occurred_at;
  const occurredAtMs = (typeof written === 'string' ? parseIsoTime(written) : null) ?? receivedAtMs;
  return senderClock(occurredAtMs, receivedAtMs).effectiveAtMs;
}
