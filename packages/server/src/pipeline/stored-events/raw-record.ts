import type { EventClass, MatchedPolicy } from '@culprit/evidence/events/normalize/event';

export interface RawRecord {
  eventClass: EventClass;
  matchedPolicy: MatchedPolicy | null;
  isDemoted: boolean;
  /** Index into the header's `requests`. */
  requestIndex: number;
  /** The id of the filter that matched, a lower-case UUID. */
  ruleId: string | null;
  /** Position of the event in its batch; with the batch id it is the event's identity. */
  position: number;
  /** The event's JSON, byte for byte in its stored form. */
  eventBytes: Buffer;
}

/** The place of a record: its frame's bytes in the object, and its offset in the decompressed frame. */
export interface RecordLocation {
  frameOffset: number;
  frameLength: number;
  recordOffset: number;
}

/** The bytes are no raw object or are damaged. Reading them again does not help. */
export class DamagedObjectError extends Error {
  override name = 'DamagedObjectError';
}

// Codes are stored: append, never reorder.
const EVENT_CLASSES: readonly EventClass[] = ['incident_signal', 'context_signal', 'operational_signal'];
const POLICIES: readonly (MatchedPolicy | null)[] = [
  null,
  'always_incident',
  'immediate_failure_5xx',
  'immediate_failure_preset',
  'immediate_client_error_status',
  'immediate_client_error_path_rule',
  'log_level_error',
  'availability_threshold',
  'captured_message',
  'heartbeat_threshold',
];

export const PREFIX_BYTES = 29;

const U16_MAX = 0xffff;
const U32_MAX = 0xffff_ffff;

/**
 * Writes a record and returns the offset after it. Throws RangeError for values that do not fit the format.
 */
export function writeRecord(raw: Buffer, start: number, record: RawRecord, requestCount: number): number {
  const classCode = EVENT_CLASSES.indexOf(record.eventClass);
  const policyCode = POLICIES.indexOf(record.matchedPolicy);
  if (classCode < 0 || policyCode < 0) throw new RangeError('unknown event class or policy');
  if (!isIndex(record.requestIndex, Math.min(requestCount - 1, U16_MAX))) {
    throw new RangeError('unknown request');
  }
  if (!isIndex(record.position, U32_MAX)) throw new RangeError(`position ${record.position}`);
  raw[start] = classCode;
  raw[start + 1] = policyCode;
  raw[start + 2] = record.isDemoted ? 1 : 0;
  raw.writeUInt16LE(record.requestIndex, start + 3);
  writeRuleId(raw, start + 5, record.ruleId);
  raw.writeUInt32LE(record.position, start + 21);
  raw.writeUInt32LE(record.eventBytes.length, start + 25);
  record.eventBytes.copy(raw, start + PREFIX_BYTES);
  return start + PREFIX_BYTES + record.eventBytes.length;
}

function isIndex(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

const NO_RULE = '00000000-0000-0000-0000-000000000000';
const NO_RULE_BYTES = Buffer.alloc(16);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function writeRuleId(raw: Buffer, offset: number, ruleId: string | null): void {
  if (ruleId === null) {
    raw.fill(0, offset, offset + 16);
    return;
  }
  if (!UUID.test(ruleId) || ruleId === NO_RULE) throw new RangeError(`rule id ${ruleId}`);
  raw.write(ruleId.replaceAll('-', ''), offset, 'hex');
}

export function recordAt(raw: Buffer, offset: number): RawRecord {
  const eventLength = eventLengthAt(raw, offset);
  const eventClass = EVENT_CLASSES[raw.readUInt8(offset)];
  const matchedPolicy = POLICIES[raw.readUInt8(offset + 1)];
  const flags = raw.readUInt8(offset + 2);
  if (eventClass === undefined || matchedPolicy === undefined || flags > 1) {
    throw new DamagedObjectError('record with an unknown code');
  }
  const eventOffset = offset + PREFIX_BYTES;
  return {
    eventClass,
    matchedPolicy,
    isDemoted: flags === 1,
    requestIndex: raw.readUInt16LE(offset + 3),
    ruleId: ruleIdAt(raw, offset + 5),
    position: raw.readUInt32LE(offset + 21),
    eventBytes: raw.subarray(eventOffset, eventOffset + eventLength),
  };
}

/** Length of the event of the record at `offset`; throws when the record does not lie within the frame. */
export function eventLengthAt(raw: Buffer, offset: number): number {
  if (offset + PREFIX_BYTES > raw.length) throw new DamagedObjectError('cut record');
  const eventLength = raw.readUInt32LE(offset + 25);
  if (offset + PREFIX_BYTES + eventLength > raw.length) throw new DamagedObjectError('cut record');
  return eventLength;
}

function ruleIdAt(raw: Buffer, offset: number): string | null {
  // Hardly any event matched a rule; the others are spared the text.
  if (raw.compare(NO_RULE_BYTES, 0, 16, offset, offset + 16) === 0) return null;
  const hex = raw.toString('hex', offset, offset + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
