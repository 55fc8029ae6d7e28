import type { OutgoingHttpHeaders } from 'node:http';
import { FOREIGN_STATUS, type ForeignRefusal } from './foreign-refusal.ts';

/** An answer to a foreign sender. */
export interface ForeignAnswer {
  status: number;
  headers: OutgoingHttpHeaders;
  /** An object is written as JSON; bytes have their own `content-type`. */
  body: object | Buffer;
}

/** A refusal in words: in the body, and in the header that debug modes of Sentry's libraries print. */
export function refusalAnswer(refusal: ForeignRefusal): ForeignAnswer {
  const { code, detail, retryAfterSeconds } = refusal;
  const headers: OutgoingHttpHeaders = { 'x-sentry-error': detail };
  // The header is set on no other status: libraries would discard everything for that time.
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  return { status: FOREIGN_STATUS[code], headers, body: { error: code, detail } };
}
