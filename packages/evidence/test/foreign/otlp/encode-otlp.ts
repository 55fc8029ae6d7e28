/** The messages of OTLP by the names of their JSON form: number and type of each field, `*` for a list. */
export const MESSAGES = {
  ExportTraceServiceRequest: { resourceSpans: [1, 'ResourceSpans*'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans*'], schemaUrl: [3, 'string'] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'Span*'], schemaUrl: [3, 'string'] },
  Span: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    traceState: [3, 'string'],
    parentSpanId: [4, 'id'],
    name: [5, 'string'],
    kind: [6, 'uint32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue*'],
    droppedAttributesCount: [10, 'uint32'],
    events: [11, 'Event*'],
    droppedEventsCount: [12, 'uint32'],
    links: [13, 'Link*'],
    droppedLinksCount: [14, 'uint32'],
    status: [15, 'Status'],
    flags: [16, 'fixed32'],
  },
  Event: {
    timeUnixNano: [1, 'fixed64'],
    name: [2, 'string'],
    attributes: [3, 'KeyValue*'],
    droppedAttributesCount: [4, 'uint32'],
  },
  Link: { traceId: [1, 'id'], spanId: [2, 'id'], traceState: [3, 'string'], attributes: [4, 'KeyValue*'] },
  Status: { message: [2, 'string'], code: [3, 'uint32'] },
  ExportLogsServiceRequest: { resourceLogs: [1, 'ResourceLogs*'] },
  ResourceLogs: { resource: [1, 'Resource'], scopeLogs: [2, 'ScopeLogs*'], schemaUrl: [3, 'string'] },
  ScopeLogs: { scope: [1, 'Scope'], logRecords: [2, 'LogRecord*'], schemaUrl: [3, 'string'] },
  LogRecord: {
    timeUnixNano: [1, 'fixed64'],
    severityNumber: [2, 'uint32'],
    severityText: [3, 'string'],
    body: [5, 'AnyValue'],
    attributes: [6, 'KeyValue*'],
    droppedAttributesCount: [7, 'uint32'],
    flags: [8, 'fixed32'],
    traceId: [9, 'id'],
    spanId: [10, 'id'],
    observedTimeUnixNano: [11, 'fixed64'],
    eventName: [12, 'string'],
  },
  Resource: { attributes: [1, 'KeyValue*'], droppedAttributesCount: [2, 'uint32'] },
  Scope: {
    name: [1, 'string'],
    version: [2, 'string'],
    attributes: [3, 'KeyValue*'],
    droppedAttributesCount: [4, 'uint32'],
  },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
    bytesValue: [7, 'base64'],
  },
  ArrayValue: { values: [1, 'AnyValue*'] },
  KeyValueList: { values: [1, 'KeyValue*'] },
} as const satisfies Record<string, Record<string, readonly [number, string]>>;

export type MessageName = keyof typeof MESSAGES;

/** A request in its JSON form as protobuf, its fields in the order of the object. */
export function encodeOtlp(name: string, message: object): Buffer {
  const fields: Record<string, readonly [number, string]> = MESSAGES[name as MessageName];
  const parts: Buffer[] = [];
  for (const [key, value] of Object.entries(message)) {
    const field = fields[key];
    if (field === undefined || value === undefined) continue;
    const [number, type] = field;
    const items: unknown[] = type.endsWith('*') ? value : [value];
    for (const item of items) parts.push(encodeField(number, type.replace('*', ''), item));
  }
  return Buffer.concat(parts);
}

function encodeField(number: number, type: string, value: unknown): Buffer {
  switch (type) {
    case 'string':
      return bytesOf(number, Buffer.from(String(value)));
    case 'id':
      return bytesOf(number, Buffer.from(String(value), 'hex'));
    case 'base64':
      return bytesOf(number, Buffer.from(String(value), 'base64'));
    case 'uint32':
    case 'bool':
    case 'int64':
      return Buffer.concat([varint(BigInt(number * 8)), varint(BigInt.asUintN(64, BigInt(value as number)))]);
    case 'fixed64': {
      const fixed = Buffer.alloc(8);
      fixed.writeBigUInt64LE(BigInt(value as string));
      return Buffer.concat([varint(BigInt(number * 8 + 1)), fixed]);
    }
    case 'fixed32': {
      const fixed = Buffer.alloc(4);
      fixed.writeUInt32LE(Number(value));
      return Buffer.concat([varint(BigInt(number * 8 + 5)), fixed]);
    }
    case 'double': {
      const fixed = Buffer.alloc(8);
      fixed.writeDoubleLE(Number(value));
      return Buffer.concat([varint(BigInt(number * 8 + 1)), fixed]);
    }
    default:
      return bytesOf(number, encodeOtlp(type, value as object));
  }
}

export function bytesOf(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(BigInt(number * 8 + 2)), varint(BigInt(content.length)), content]);
}

export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80n) {
    bytes.push(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Buffer.from(bytes);
}
