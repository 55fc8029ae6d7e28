import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { digestOf } from '@culprit/evidence/incidents/event-digest';
import { digestBytes } from '../stored-events/digest-record.ts';

/** The worker makes the digests of larger events, so that none of them holds the event loop of the API. */
const EVENT_BYTES_MAX = 65_536;

/**
 * Returns the digest that is stored with an event, so that the worker need not parse it; null for one without. It takes
 * texts unchanged: no stack is read, and no fingerprint is made.
 * @param event in the form in which it is stored, its shape valid
 */
export function intakeDigest(event: unknown, eventBytes: number): Buffer | null {
  if (eventBytes > EVENT_BYTES_MAX || !isJsonObject(event)) return null;
  const outline = outlineOf(event);
  const digest = outline === null ? null : digestOf(event, outline);
  return digest === null ? null : digestBytes(digest);
}
