import type { Found, OtlpRecord } from './otlp-items.ts';
import { readAnyValue, readAttribute } from './protobuf-values.ts';
import { recordRank } from './span-rank.ts';
import { KEY_CHARS_MAX, valueBudget } from './value-budget.ts';
import { bytesField, fixed64Field, varintField, type WireReader } from './wire-reader.ts';

const RECORD = {
  time: fixed64Field(1),
  severityNumber: varintField(2),
  severityText: bytesField(3),
  body: bytesField(5),
  attribute: bytesField(6),
  traceId: bytesField(9),
  spanId: bytesField(10),
  observed: fixed64Field(11),
  eventName: bytesField(12),
} as const;

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export function findRecord(reader: WireReader): Pick<Found<OtlpRecord>, 'rank' | 'events'> {
  let severityNumber = 0;
  while (reader.next()) {
    if (reader.tag === RECORD.severityNumber) severityNumber = reader.small();
    else reader.skip();
  }
  return recordRank(severityNumber);
}

export function readRecord(reader: WireReader): OtlpRecord {
  let observedNano = 0n;
  const record: OtlpRecord = {
    timeNano: 0n,
    severityNumber: 0,
    severityText: '',
    body: undefined,
    attributes: {},
    traceId: '',
    spanId: '',
    eventName: '',
  };
  const budget = valueBudget();
  while (reader.next()) {
    switch (reader.tag) {
      case RECORD.time:
        record.timeNano = reader.fixed64();
        break;
      case RECORD.severityNumber:
        record.severityNumber = reader.small();
        break;
      case RECORD.severityText:
        record.severityText = reader.text(KEY_CHARS_MAX);
        break;
      case RECORD.body:
        record.body = readAnyValue(reader.message(), 1, budget);
        break;
      case RECORD.attribute:
        readAttribute(reader.message(), record.attributes, budget);
        break;
      case RECORD.traceId:
        record.traceId = reader.id(TRACE_ID_BYTES);
        break;
      case RECORD.spanId:
        record.spanId = reader.id(SPAN_ID_BYTES);
        break;
      case RECORD.observed:
        observedNano = reader.fixed64();
        break;
      case RECORD.eventName:
        record.eventName = reader.text(KEY_CHARS_MAX);
        break;
      default:
        reader.skip();
    }
  }
  if (record.timeNano === 0n) record.timeNano = observedNano;
  return record;
}
