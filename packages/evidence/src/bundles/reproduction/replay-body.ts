import type { OpenJson } from '@culprit/contract/schemas/open-json';
import { TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { BODY_BYTES_MAX, boundBody, takeHead } from '../document/size-bounds.ts';
import { encodeForm } from './replay-address.ts';

/** The body a replay sends. */
export interface ReplayBody {
  /** The text to send; null when there is no body, or none that a command can carry. */
  text: string | null;
  /** The beginning of `text`, for when all of it would make a command too long; null when it is short anyway. */
  head: string | null;
  /** The captured value, for `json_spec`. */
  value: OpenJson;
  /** Part of the body is missing, or the document shows only its beginning. */
  isTruncated: boolean;
  /** There was a body that was not captured, or is neither JSON nor a form nor text. */
  isOmitted: boolean;
}

/** The body of a request that sends nothing. */
export const NO_BODY: ReplayBody = {
  text: null,
  head: null,
  value: null,
  isTruncated: false,
  isOmitted: false,
};

/** Media types whose captured form is not what went over the wire. */
const BINARY_TYPE =
  /^(?:multipart\/|image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip|protobuf|x-protobuf|grpc|msgpack|x-msgpack|cbor|avro|wasm))/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded/i;
/** Text has no control characters but tabulators and line ends. */
const BINARY_TEXT = /[^\P{Cc}\t\n\r]/u;

/**
 * Reads a captured, redacted body (docs/contract/incidents.md 4.3): JSON compact with keys as captured, forms encoded,
 * text as is.
 */
export function replayBody(body: JsonValue, contentType: string | null): ReplayBody {
  if (body === null || body === '') return NO_BODY;
  const type = contentType?.trim() ?? '';
  const isBinary = BINARY_TYPE.test(type) || (typeof body === 'string' && BINARY_TEXT.test(body));
  if (isBinary) return { ...NO_BODY, isOmitted: true };

  const text = bodyText(body, type);
  const isLong = Buffer.byteLength(text) > BODY_BYTES_MAX;
  return {
    text,
    head: isLong ? takeHead(text, BODY_BYTES_MAX) : null,
    value: body,
    isTruncated: text.includes(TRUNCATED_MARK) || boundBody(body) !== body,
    isOmitted: false,
  };
}

function bodyText(body: JsonValue, type: string): string {
  if (typeof body === 'string') return body;
  return FORM_TYPE.test(type) && isJsonObject(body) ? encodeForm(body) : JSON.stringify(body);
}
