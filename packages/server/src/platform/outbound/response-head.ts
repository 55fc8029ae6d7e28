import { OutboundFailure } from './outbound-failure.ts';
import type { ResponseReader } from './response-reader.ts';

/** Status line and all headers of an answer; the same for all interim answers before it. */
const HEAD_BYTES_MAX = 64 * 1024;
const INTERIM_ANSWERS_MAX = 50;
/** Also the forms of old and home-made servers: no version, no reason phrase, radio stations. */
const STATUS_LINE = /^(?:HTTP(?:\/\d+(?:\.\d+)?)?|ICY)[ \t]+(\d{3})(?!\d)/i;
const STATUS_MIN = 100;
const SWITCHING_PROTOCOLS = 101;

/** The only headers that are read. */
export type HeaderName =
  | 'location'
  | 'content-length'
  | 'transfer-encoding'
  | 'retry-after'
  | 'x-ratelimit-remaining'
  | 'x-ratelimit-reset'
  | 'etag'
  | 'x-oauth-scopes';

export interface ResponseHead {
  status: number;
  /** Returns the values of a header; each character represents a byte. Empty values are omitted. */
  values(name: HeaderName): readonly string[];
}

/**
 * Reads up to the end of the headers. The connection is used for one answer only, so a header that is malformed misleads
 * nothing: it is passed over. Interim answers are passed over too, whichever they are (RFC 9110 15.2).
 * @param onStatus called with the status of the final answer, before its headers are read
 * @throws OutboundFailure `invalid_response`, `connection_failed`
 */
export async function readHead(
  reader: ResponseReader,
  onStatus: (status: number) => void = () => {},
): Promise<ResponseHead> {
  let interimBytesLeft = HEAD_BYTES_MAX;
  let isSwitched = false;
  for (let interimAnswers = 0; interimAnswers <= INTERIM_ANSWERS_MAX; interimAnswers += 1) {
    const { status, sizeBytes } = await readStatusLine(reader).catch((error: unknown) => {
      // No other protocol was asked for; some servers answer all the same.
      throw isSwitched ? new OutboundFailure('invalid_response', 'another protocol') : error;
    });
    isSwitched ||= status === SWITCHING_PROTOCOLS;
    if (status >= 200) onStatus(status);
    const head = await readFields(reader, HEAD_BYTES_MAX - sizeBytes);
    if (status >= 200) {
      return { status, values: (name) => valuesOf(head.fields, name) };
    }
    interimBytesLeft -= sizeBytes + head.sizeBytes;
    if (interimBytesLeft < 0) break;
  }
  throw new OutboundFailure('invalid_response', 'too many interim answers');
}

async function readStatusLine(reader: ResponseReader): Promise<{ status: number; sizeBytes: number }> {
  let sizeBytes = 0;
  for (;;) {
    const line = await reader.line(HEAD_BYTES_MAX - sizeBytes);
    if (line === null) throw new OutboundFailure('connection_failed', 'closed before a status line');
    sizeBytes += line.sizeBytes;
    const text = line.text.toString('latin1');
    // Some servers send an empty line too many after an earlier answer.
    if (text === '') continue;
    const status = Number(STATUS_LINE.exec(text)?.[1] ?? 0);
    if (status < STATUS_MIN) throw new OutboundFailure('invalid_response', 'no status line');
    return { status, sizeBytes };
  }
}

interface Field {
  name: string;
  /** Several lines if the header continues in lines that begin with a blank. */
  lines: string[];
}

function valuesOf(fields: readonly Field[], name: HeaderName): string[] {
  return fields
    .filter((field) => field.name === name)
    .map(({ lines }) => withoutBlanks(lines.join(' ')))
    .filter((value) => value !== '');
}

/** Headers up to an empty line, or to the end of the connection. */
async function readFields(
  reader: ResponseReader,
  bytesMax: number,
): Promise<{ fields: Field[]; sizeBytes: number }> {
  const fields: Field[] = [];
  let sizeBytes = 0;
  for (;;) {
    const line = await reader.line(bytesMax - sizeBytes);
    sizeBytes += line?.sizeBytes ?? 0;
    if (line === null || line.text.length === 0) return { fields, sizeBytes };
    const text = line.text.toString('latin1');
    if (isBlank(text[0])) {
      fields.at(-1)?.lines.push(withoutBlanks(text));
    } else {
      const [name = '', ...value] = text.split(':');
      fields.push({ name: withoutBlanks(name).toLowerCase(), lines: [withoutBlanks(value.join(':'))] });
    }
  }
}

/** `trim` would take the last byte of some letters in UTF-8 for a blank of Latin-1. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
