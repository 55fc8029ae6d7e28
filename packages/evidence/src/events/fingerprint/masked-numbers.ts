import type { NormalizedEvent } from '../normalize/event.ts';

/** Numbers of four digits and more that are alone between blanks. */
const LONE_NUMBER = /(?<![^ ])\d{4,}(?![^ ])/g;
/** Messages with these words differ by their numbers; a line break can make several exceptions of one message. */
const TELLING = /code|errno|exit|signal|error|status|hresult|[\r\n\u2028\u2029]/i;

/**
 * The event with ones for the digits of numbers that no fingerprint should depend on, in its message and wherever its
 * stack or its exceptions repeat the message; null for one without such numbers. A caller that takes the fingerprint of
 * one for that of the other has to look whether both are the same.
 */
export function withMaskedNumbers(event: NormalizedEvent): NormalizedEvent | null {
  const { payload } = event;
  if (payload.kind === 'log') {
    if (payload.error !== null) return null;
    const message = maskedMessage(payload.message);
    return message === null ? null : { ...event, payload: { ...payload, message } };
  }
  // A type with a digit may be a part of the message.
  if (payload.kind !== 'exception' || /\d/.test(payload.name)) return null;
  const message = maskedMessage(payload.message);
  if (message === null) return null;
  const stack = payload.stack?.replaceAll(payload.message, () => message) ?? null;
  // An exception that is sent as objects contains the same message again.
  const exceptions = payload.exceptions.map((each) =>
    each.message === payload.message ? { ...each, message } : each,
  );
  return { ...event, payload: { ...payload, message, stack, exceptions } };
}

/** A message with ones for the digits of numbers that no fingerprint should depend on; null for one without any. */
export function maskedMessage(message: string): string | null {
  const text = message.replace(LONE_NUMBER, ones);
  return text === message || TELLING.test(message) ? null : text;
}

function ones(digits: string): string {
  return '1'.repeat(digits.length);
}
