import { inflateSync } from 'node:zlib';
import type { Envelope } from '@culprit/evidence/foreign/sentry/envelope-reader';
import { COMPRESSED, isCompressed } from '@culprit/evidence/foreign/sentry/header-line';
import type { BodyReader } from '../foreign-intake.ts';
import { type ForeignRefusal, refusal } from '../foreign-refusal.ts';

const EVENT_BYTES_MAX = 1024 * 1024;
const OPEN_BRACE = 0x7b;

/**
 * The body of `/store/`: one event as JSON, or as base64 of zlib of JSON, as Raven sends it. It becomes an envelope with
 * this one item.
 */
export function openStoreBody(): BodyReader & { end: () => Envelope | ForeignRefusal } {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  return {
    add(chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > EVENT_BYTES_MAX) return TOO_LARGE;
      chunks.push(chunk);
      return null;
    },
    get keptBytes() {
      return sizeBytes;
    },
    ownKey: undefined,
    end() {
      const whole = Buffer.concat(chunks, sizeBytes);
      // Before it is trimmed: gzip begins with what is blank in a text.
      if (isCompressed(whole)) return UNNAMED_ENCODING;
      const body = trimmed(whole);
      if (body.length === 0) return refusal('invalid_payload', 'The body is empty.');
      const payload = body[0] === OPEN_BRACE ? body : unpacked(body);
      if (payload === null) return NO_EVENT;
      const none = new Map<string, number>();
      return {
        header: {},
        items: [{ index: 0, type: 'event', header: {}, payload }],
        dropped: [],
        refused: [],
        notTaken: none,
        overLimit: none,
      };
    },
  };
}

const TOO_LARGE = refusal('payload_too_large', 'The event is larger than 1 MiB. Send less with each event.');

const NO_EVENT = refusal('invalid_payload', 'The body is neither JSON nor base64-encoded zlib.');
const UNNAMED_ENCODING = refusal('invalid_payload', `The body is no event: ${COMPRESSED}.`);

/** Without a byte order mark and blanks in front. */
function trimmed(body: Buffer): Buffer {
  let start = body.subarray(0, 3).toString('hex') === 'efbbbf' ? 3 : 0;
  while (start < body.length && (body[start] ?? 0) <= 0x20) start += 1;
  return body.subarray(start);
}

function unpacked(body: Buffer): Buffer | null {
  try {
    return inflateSync(Buffer.from(body.toString('latin1'), 'base64'), { maxOutputLength: EVENT_BYTES_MAX });
  } catch {
    return null;
  }
}
