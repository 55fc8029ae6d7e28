import { TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { UnreadableBody } from './unreadable-body.ts';
import {
  INNER_TEXT_CHARS_MAX,
  KEY_CHARS_MAX,
  LEVELS_MAX,
  NESTING_MAX,
  ofNextAttribute,
  textCharsMax,
  type ValueBudget,
} from './value-budget.ts';
import { bytesField, fixed64Field, varintField, type WireReader } from './wire-reader.ts';

const VALUE = {
  string: bytesField(1),
  boolean: varintField(2),
  integer: varintField(3),
  double: fixed64Field(4),
  array: bytesField(5),
  map: bytesField(6),
  bytes: bytesField(7),
} as const;
const KEY = bytesField(1);
const KEY_VALUE = bytesField(2);
/** The field of both `ArrayValue` and `KeyValueList`. */
const VALUES = bytesField(1);

/** Adds a `KeyValue` to the attributes, of which 128 are kept. */
export function readAttribute(reader: WireReader, attributes: JsonObject, budget: ValueBudget): void {
  addEntry(reader, attributes, 1, ofNextAttribute(budget));
}

/** The value of an `AnyValue`; of several in one message the last counts, lists and maps being joined. */
export function readAnyValue(reader: WireReader, level: number, budget: ValueBudget): JsonValue {
  if (level > NESTING_MAX)
    throw new UnreadableBody('invalid_payload', 'The body contains a value that is nested too deep.');
  let value: JsonValue = null;
  const isKept = level <= LEVELS_MAX && budget.left > 0;
  budget.left -= 1;
  while (reader.next()) {
    switch (reader.tag) {
      case VALUE.string:
        if (isKept) value = reader.text(textCharsMax(level));
        else reader.skip();
        break;
      case VALUE.boolean:
        value = reader.isTrue();
        break;
      case VALUE.integer:
        value = reader.int64();
        break;
      case VALUE.double:
        value = finite(reader.double());
        break;
      case VALUE.array:
        value = readArray(reader.message(), Array.isArray(value) ? value : [], level, budget);
        break;
      case VALUE.map:
        value = readMap(reader.message(), isJsonObject(value) ? value : {}, level, budget);
        break;
      case VALUE.bytes:
        if (isKept) value = reader.base64(INNER_TEXT_CHARS_MAX);
        else reader.skip();
        break;
      default:
        reader.skip();
    }
  }
  return isKept ? value : TRUNCATED_MARK;
}

function readArray(reader: WireReader, list: JsonValue[], level: number, budget: ValueBudget): JsonValue[] {
  while (reader.next()) {
    if (reader.tag !== VALUES) {
      reader.skip();
      continue;
    }
    const hadRoom = budget.left > 0;
    const value = readAnyValue(reader.message(), level + 1, budget);
    // One mark represents everything that did not fit.
    if (hadRoom) list.push(value);
    else if (list.at(-1) !== TRUNCATED_MARK) list.push(TRUNCATED_MARK);
  }
  return list;
}

function readMap(reader: WireReader, map: JsonObject, level: number, budget: ValueBudget): JsonObject {
  while (reader.next()) {
    if (reader.tag === VALUES) addEntry(reader.message(), map, level + 1, budget);
    else reader.skip();
  }
  return map;
}

function addEntry(reader: WireReader, map: JsonObject, level: number, budget: ValueBudget): void {
  const isKept = budget.left > 0;
  let key = '';
  let value: JsonValue = null;
  while (reader.next()) {
    if (reader.tag === KEY && isKept) key = reader.text(KEY_CHARS_MAX);
    else if (reader.tag === KEY_VALUE) value = readAnyValue(reader.message(), level, budget);
    else reader.skip();
  }
  if (isKept && key !== '') setOwn(map, key, value);
}

/** JSON knows no other numbers. */
export function finite(value: number): number | string {
  return Number.isFinite(value) ? value + 0 : String(value);
}
