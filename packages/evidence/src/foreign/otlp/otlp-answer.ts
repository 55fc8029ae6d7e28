import { OTLP_MEDIA_TYPES, type OtlpForm, type OtlpSignal } from './otlp-form.ts';

export interface OtlpBody {
  contentType: string;
  body: Buffer;
}

/** The number of refused items, and the reason. */
interface PartialSuccess {
  rejected: number;
  message: string;
}

/** The body of an answer 200: empty, or with what was refused (docs/contract/foreign-protocols.md 8.6). */
export function successBody(form: OtlpForm, signal: OtlpSignal, partial: PartialSuccess | null): OtlpBody {
  const contentType = OTLP_MEDIA_TYPES[form];
  if (form === 'json') {
    const count = signal === 'traces' ? 'rejectedSpans' : 'rejectedLogRecords';
    const partialSuccess =
      partial === null ? undefined : { [count]: String(partial.rejected), errorMessage: partial.message };
    return { contentType, body: Buffer.from(JSON.stringify({ partialSuccess })) };
  }
  if (partial === null) return { contentType, body: Buffer.alloc(0) };
  const inner = Buffer.concat([number(1, partial.rejected), text(2, partial.message)]);
  return { contentType, body: field(1, inner) };
}

/** The body of any other answer: a `Status` of the code that its HTTP status has in gRPC. */
export function statusBody(form: OtlpForm, status: number, message: string): OtlpBody {
  const contentType = OTLP_MEDIA_TYPES[form];
  const code = CODES[status] ?? UNKNOWN;
  const body =
    form === 'json'
      ? Buffer.from(JSON.stringify({ code, message }))
      : Buffer.concat([number(1, code), text(2, message)]);
  return { contentType, body };
}

const UNKNOWN = 2;
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  413: 8,
  415: 3,
  429: 8,
  501: 12,
  503: 14,
};

function number(fieldNumber: number, value: number): Buffer {
  return Buffer.from([fieldNumber * 8, ...varint(value)]);
}

function text(fieldNumber: number, value: string): Buffer {
  return field(fieldNumber, Buffer.from(value));
}

function field(fieldNumber: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([fieldNumber * 8 + 2, ...varint(content.length)]), content]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80) {
    bytes.push((left % 0x80) + 0x80);
    left = Math.floor(left / 0x80);
  }
  bytes.push(left);
  return bytes;
}
