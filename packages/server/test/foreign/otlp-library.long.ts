import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import {
  bytesOf,
  MESSAGES,
  type MessageName,
  varint,
} from '../../../evidence/test/foreign/otlp/encode-otlp.ts';
import { readBody } from '../../../evidence/test/foreign/otlp/otlp-bodies.ts';
import { installForeignClients } from '../../../foreign-clients/clients.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/** F-68 of docs/contract/foreign-protocols.md: what the library for protobuf writes is read as its JSON form is. */

const INSTALL_MAX_MS = 300_000;
const COUNT = runSize('CULPRIT_TEST_OTLP_MESSAGES', { standard: 20_000, long: 1_000_000 });
const SEED = chooseSeed();

/** Types of fields by their numbers in descriptors. */
const TYPES: Readonly<Record<string, number>> = {
  double: 1,
  int64: 3,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  id: 12,
  base64: 12,
  uint32: 13,
};
const MESSAGE = 11;
const REPEATED = 3;
const OPTIONAL = 1;

interface Library {
  create: (schema: object, init: object) => object;
  createFileRegistry: (set: object) => { getMessage: (name: string) => object | undefined };
  fromJson: (schema: object, json: object) => object;
  toBinary: (schema: object, message: object) => Uint8Array;
}

function descriptorOf(name: string) {
  const fields: Record<string, readonly [number, string]> = MESSAGES[name as MessageName];
  const isOneOf = name === 'AnyValue';
  return {
    name,
    oneofDecl: isOneOf ? [{ name: 'value' }] : [],
    field: Object.entries(fields).map(([jsonName, [number, type]]) => {
      const base = type.replace('*', '');
      return {
        name: jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        jsonName,
        number,
        label: type.endsWith('*') ? REPEATED : OPTIONAL,
        type: TYPES[base] ?? MESSAGE,
        ...(TYPES[base] === undefined ? { typeName: `.otlp.${base}` } : {}),
        ...(isOneOf ? { oneofIndex: 0 } : {}),
      };
    }),
  };
}

it(
  `reads ${COUNT} messages of the library as their JSON form (seed ${SEED})`,
  async () => {
    const folder = join(await installForeignClients(), '@bufbuild/protobuf/dist/esm');
    const library: Library = await import(pathToFileURL(join(folder, 'index.js')).href);
    const wkt = await import(pathToFileURL(join(folder, 'wkt/index.js')).href);
    const file = {
      name: 'otlp.proto',
      package: 'otlp',
      syntax: 'proto3',
      messageType: Object.keys(MESSAGES).map(descriptorOf),
    };
    const registry = library.createFileRegistry(
      library.create(wkt.FileDescriptorSetSchema, { file: [file] }),
    );
    const random = seededRandom(SEED);
    const words = [
      'a',
      'http.method',
      'service.name',
      'exception',
      'exception.type',
      'ü€😀',
      'GET',
      '',
      'x'.repeat(300),
    ];
    const hex = (bytes: number) =>
      Array.from({ length: bytes * 2 }, () => random.integer(0, 15).toString(16)).join('');
    const nano = () =>
      String(BigInt(random.integer(0, 2 ** 31)) * 1_000_003n * BigInt(random.integer(0, 900)));
    const some = <Item>(most: number, make: () => Item) =>
      Array.from({ length: random.integer(0, most) }, make);
    const value = (depth: number): object => {
      const kind = random.integer(0, depth > 4 ? 5 : 7);
      switch (kind) {
        case 0:
          return { stringValue: random.pick(words) };
        case 1:
          return { boolValue: random.chance(0.5) };
        case 2:
          return { intValue: String(BigInt.asIntN(64, BigInt(`0x${hex(8)}`))) };
        case 3:
          return { doubleValue: random.pick([0.5, -1e300, 7, 'NaN', '-Infinity']) };
        case 4:
          return { bytesValue: Buffer.from(hex(random.integer(0, 9)), 'hex').toString('base64') };
        case 5:
          return {};
        case 6:
          return { arrayValue: { values: some(4, () => value(depth + 1)) } };
        default:
          return { kvlistValue: { values: some(4, () => entry(depth + 1)) } };
      }
    };
    const entry = (depth: number) => ({
      key: `${random.pick(words)}.${random.integer(0, 99)}`,
      value: value(depth),
    });
    const named = (key: string) => ({ key, value: { stringValue: random.pick(words) } });
    const span = () => ({
      traceId: hex(16),
      spanId: hex(8),
      traceState: random.pick(words),
      name: random.pick(words),
      kind: random.integer(0, 5),
      startTimeUnixNano: nano(),
      endTimeUnixNano: nano(),
      attributes: [named('http.method'), ...some(5, () => entry(0))],
      droppedAttributesCount: random.integer(0, 9),
      events: some(3, () => ({
        timeUnixNano: nano(),
        name: random.pick(words),
        attributes: [named('exception.type'), ...some(3, () => entry(0))],
      })),
      links: some(1, () => ({ traceId: hex(16), spanId: hex(8) })),
      status: { message: random.pick(words), code: random.integer(0, 2) },
      flags: random.integer(0, 2 ** 31),
    });
    const record = () => ({
      timeUnixNano: nano(),
      observedTimeUnixNano: nano(),
      severityNumber: random.integer(0, 24),
      severityText: random.pick(words),
      body: value(0),
      attributes: [...(random.chance(0.3) ? [named('exception.type')] : []), ...some(5, () => entry(0))],
      traceId: hex(16),
      spanId: hex(8),
      eventName: random.pick(words),
      flags: random.integer(0, 2 ** 31),
    });
    const resource = () => ({ attributes: some(3, () => entry(0)), droppedAttributesCount: 1 });
    const scope = () => ({ name: random.pick(words), version: '1' });

    for (let count = 0; count < COUNT; count += 1) {
      const signal = random.chance(0.5) ? 'traces' : 'logs';
      const request =
        signal === 'traces'
          ? {
              resourceSpans: [
                {
                  resource: resource(),
                  scopeSpans: [{ scope: scope(), spans: some(3, span), schemaUrl: 'x' }],
                },
              ],
            }
          : {
              resourceLogs: [
                {
                  resource: resource(),
                  scopeLogs: [{ scope: scope(), logRecords: some(3, record), schemaUrl: 'x' }],
                },
              ],
            };
      const schema = registry.getMessage(
        `otlp.${signal === 'traces' ? 'ExportTraceServiceRequest' : 'ExportLogsServiceRequest'}`,
      );
      if (schema === undefined) throw new Error('no schema');
      const json = JSON.stringify(request);
      // The library's JSON has ids in base64.
      const own = JSON.parse(json, (key, each) =>
        key === 'traceId' || key === 'spanId' ? Buffer.from(each, 'hex').toString('base64') : each,
      );
      const written = Buffer.from(library.toBinary(schema, library.fromJson(schema, own)));
      const unknown = random.pick([
        Buffer.alloc(0),
        bytesOf(99, Buffer.from('later')),
        Buffer.concat([varint(99n * 8n), varint(2n ** 63n)]),
        Buffer.concat([varint(99n * 8n + 1n), Buffer.alloc(8, 7)]),
        Buffer.concat([varint(99n * 8n + 5n), Buffer.alloc(4, 7)]),
      ]);
      const bytes = Buffer.concat(random.chance(0.5) ? [written, unknown] : [unknown, written]);
      const [read, expected] = [
        readBody(bytes, 'protobuf', signal),
        readBody(Buffer.from(json), 'json', signal),
      ];
      if (JSON.stringify(read) !== JSON.stringify(expected)) expect(read, json).toEqual(expected);
      const cut = readBody(bytes.subarray(0, random.integer(0, bytes.length)), 'protobuf', signal);
      if (!cut.ok) expect(cut.problem).toBe('invalid_payload');
    }
  },
  INSTALL_MAX_MS + COUNT,
);
