import type { JsonObject } from '../../events/envelope/json.ts';
import type { Sliced } from '../../events/envelope/sliced.ts';
import {
  type Found,
  type FoundItems,
  ITEMS_MAX,
  type OtlpOrigin,
  type OtlpRecord,
  type OtlpSpan,
} from './otlp-items.ts';
import { findRecord, readRecord } from './protobuf-record.ts';
import { findSpan, readSpan } from './protobuf-span.ts';
import { readAttribute } from './protobuf-values.ts';
import { UnreadableBody } from './unreadable-body.ts';
import { KEY_CHARS_MAX, valueBudget } from './value-budget.ts';
import { bytesField, WireReader } from './wire-reader.ts';

/** The fields of requests, resources and scopes, which have the same numbers for traces and logs. */
const RESOURCES = bytesField(1);
const RESOURCE = bytesField(1);
const SCOPES = bytesField(2);
const SCOPE = bytesField(1);
const ITEMS = bytesField(2);
const ATTRIBUTES = bytesField(1);
const NAME = bytesField(1);

const SLICE_BYTES = 32 * 1024;

/** The spans of an `ExportTraceServiceRequest` that may be taken. Throws `UnreadableBody`. */
export function readProtobufTraces(bytes: Buffer): Sliced<FoundItems<OtlpSpan>> {
  return readRequest(bytes, (item, origin) => {
    const seen = findSpan(item.again());
    return seen === null ? null : { ...seen, origin, read: () => readSpan(item.again()) };
  });
}

/** The records of an `ExportLogsServiceRequest`. Throws `UnreadableBody`. */
export function readProtobufLogs(bytes: Buffer): Sliced<FoundItems<OtlpRecord>> {
  return readRequest(bytes, (item, origin) => ({
    ...findRecord(item.again()),
    origin,
    read: () => readRecord(item.again()),
  }));
}

function* readRequest<Item>(
  bytes: Buffer,
  find: (item: WireReader, origin: OtlpOrigin) => Found<Item> | null,
): Sliced<FoundItems<Item>> {
  const items: FoundItems<Item> = { found: [], notTaken: 0 };
  let itemsLeft = ITEMS_MAX;
  let sliceEnd = 0;
  const request = new WireReader(bytes);
  while (request.next()) {
    if (request.tag !== RESOURCES) {
      request.skip();
      continue;
    }
    const resourceItems = request.message();
    // A resource can follow its items.
    const resource = readResource(resourceItems.again());
    while (resourceItems.next()) {
      if (resourceItems.tag !== SCOPES) {
        resourceItems.skip();
        continue;
      }
      const scopeItems = resourceItems.message();
      const origin = { resource, scope: readScopeName(scopeItems.again()) };
      while (scopeItems.next()) {
        if (scopeItems.tag !== ITEMS) {
          scopeItems.skip();
          continue;
        }
        if (scopeItems.at >= sliceEnd) {
          sliceEnd = scopeItems.at + SLICE_BYTES;
          yield SLICE_BYTES;
        }
        itemsLeft -= 1;
        if (itemsLeft < 0) throw tooMany();
        const found = find(scopeItems.message(), origin);
        if (found === null) items.notTaken += 1;
        else items.found.push(found);
      }
    }
  }
  return items;
}

export function tooMany(): UnreadableBody {
  return new UnreadableBody(
    'payload_too_large',
    `A request holds at most ${ITEMS_MAX} spans or log records. Send smaller batches.`,
  );
}

function readResource(reader: WireReader): JsonObject {
  const attributes: JsonObject = {};
  const budget = valueBudget();
  while (reader.next()) {
    if (reader.tag !== RESOURCE) {
      reader.skip();
      continue;
    }
    const resource = reader.message();
    while (resource.next()) {
      if (resource.tag === ATTRIBUTES) readAttribute(resource.message(), attributes, budget);
      else resource.skip();
    }
  }
  return attributes;
}

function readScopeName(reader: WireReader): string {
  let name = '';
  while (reader.next()) {
    if (reader.tag !== SCOPE) {
      reader.skip();
      continue;
    }
    const scope = reader.message();
    while (scope.next()) {
      if (scope.tag === NAME) name = scope.text(KEY_CHARS_MAX);
      else scope.skip();
    }
  }
  return name;
}
