import type { JsonObject } from '../../events/envelope/json.ts';
import type { Found, OtlpSpan, OtlpSpanException } from './otlp-items.ts';
import { readAttribute } from './protobuf-values.ts';
import { spanRank } from './span-rank.ts';
import { INNER_TEXT_CHARS_MAX, valueBudget } from './value-budget.ts';
import { bytesField, fixed64Field, varintField, type WireReader } from './wire-reader.ts';

const SPAN = {
  traceId: bytesField(1),
  spanId: bytesField(2),
  parentSpanId: bytesField(4),
  name: bytesField(5),
  kind: varintField(6),
  start: fixed64Field(7),
  end: fixed64Field(8),
  attribute: bytesField(9),
  event: bytesField(11),
  status: bytesField(15),
} as const;
const EVENT = { time: fixed64Field(1), name: bytesField(2), attribute: bytesField(3) } as const;
const STATUS = { message: bytesField(2), code: varintField(3) } as const;

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** The limit of one span; exporters keep 128 events. */
const EXCEPTIONS_MAX = 1_000;

/** Returns whether a span is accepted, without reading attributes; null when it is not. */
export function findSpan(reader: WireReader): Pick<Found<OtlpSpan>, 'rank' | 'events'> | null {
  let kind = 0;
  let statusCode = 0;
  let exceptions = 0;
  while (reader.next()) {
    switch (reader.tag) {
      case SPAN.kind:
        kind = reader.small();
        break;
      case SPAN.status:
        statusCode = readStatus(reader.message()).code;
        break;
      case SPAN.event:
        if (isException(reader.message())) exceptions += 1;
        break;
      default:
        reader.skip();
    }
  }
  return spanRank({ kind, statusCode, exceptions });
}

export function readSpan(reader: WireReader): OtlpSpan {
  const span: OtlpSpan = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    startNano: 0n,
    endNano: 0n,
    attributes: {},
    statusCode: 0,
    statusMessage: '',
    exceptions: [],
  };
  const budget = valueBudget();
  while (reader.next()) {
    switch (reader.tag) {
      case SPAN.traceId:
        span.traceId = reader.id(TRACE_ID_BYTES);
        break;
      case SPAN.spanId:
        span.spanId = reader.id(SPAN_ID_BYTES);
        break;
      case SPAN.parentSpanId:
        span.parentSpanId = reader.id(SPAN_ID_BYTES);
        break;
      case SPAN.name:
        span.name = reader.text(INNER_TEXT_CHARS_MAX);
        break;
      case SPAN.kind:
        span.kind = reader.small();
        break;
      case SPAN.start:
        span.startNano = reader.fixed64();
        break;
      case SPAN.end:
        span.endNano = reader.fixed64();
        break;
      case SPAN.attribute:
        readAttribute(reader.message(), span.attributes, budget);
        break;
      case SPAN.event: {
        const event = reader.message();
        if (isException(event.again()) && span.exceptions.length < EXCEPTIONS_MAX) {
          span.exceptions.push(readException(event));
        }
        break;
      }
      case SPAN.status: {
        const { code, message } = readStatus(reader.message());
        span.statusCode = code;
        span.statusMessage = message;
        break;
      }
      default:
        reader.skip();
    }
  }
  return span;
}

function isException(reader: WireReader): boolean {
  let isNamed = false;
  while (reader.next()) {
    if (reader.tag === EVENT.name) isNamed = reader.isText('exception');
    else reader.skip();
  }
  return isNamed;
}

function readException(reader: WireReader): OtlpSpanException {
  let timeNano = 0n;
  const attributes: JsonObject = {};
  const budget = valueBudget();
  while (reader.next()) {
    if (reader.tag === EVENT.time) timeNano = reader.fixed64();
    else if (reader.tag === EVENT.attribute) readAttribute(reader.message(), attributes, budget);
    else reader.skip();
  }
  return { timeNano, attributes };
}

function readStatus(reader: WireReader): { code: number; message: string } {
  const status = { code: 0, message: '' };
  while (reader.next()) {
    if (reader.tag === STATUS.code) status.code = reader.small();
    else if (reader.tag === STATUS.message) status.message = reader.text(INNER_TEXT_CHARS_MAX);
    else reader.skip();
  }
  return status;
}
