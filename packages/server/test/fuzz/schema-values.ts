import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import fc from 'fast-check';

/** Values that a request schema of the contract allows, its bounds among them. */
export function valuesOf(schema: unknown): fc.Arbitrary<JsonValue> {
  if (!isJsonObject(schema)) return fc.jsonValue().map(asJson);
  const known = arbitraries.get(schema);
  if (known !== undefined) return known;
  const made = arbitraryOf(schema);
  arbitraries.set(schema, made);
  return made;
}

const arbitraries = new WeakMap<object, fc.Arbitrary<JsonValue>>();

/** Free text and lists are bounded by what one request should hold, where the schema leaves more room. */
const TEXT_LENGTH_MAX = 300;
const LIST_LENGTH_MAX = 12;

function arbitraryOf(schema: JsonObject): fc.Arbitrary<JsonValue> {
  if ('const' in schema) return fc.constant(schema.const ?? null);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(valuesOf));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(...types.map((type) => ofType(schema, type)));
}

function ofType(schema: JsonObject, type: JsonValue | undefined): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer(range(schema));
    case 'number':
      return fc.double({ ...range(schema), noNaN: true, noDefaultInfinity: true });
    case 'string':
      return texts(schema);
    case 'array': {
      const maxLength = Math.min(numberAt(schema, 'maxItems') ?? LIST_LENGTH_MAX, LIST_LENGTH_MAX);
      return fc.array(valuesOf(schema.items), { minLength: numberAt(schema, 'minItems') ?? 0, maxLength });
    }
    case 'object':
      return objects(schema);
    default:
      return fc.jsonValue().map(asJson);
  }
}

function range(schema: JsonObject): { min: number; max: number } {
  return { min: numberAt(schema, 'minimum') ?? -1000, max: numberAt(schema, 'maximum') ?? 1_000_000 };
}

function numberAt(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

function texts(schema: JsonObject): fc.Arbitrary<string> {
  const minLength = numberAt(schema, 'minLength') ?? 0;
  const bound = numberAt(schema, 'maxLength');
  const maxLength = Math.min(bound ?? TEXT_LENGTH_MAX, TEXT_LENGTH_MAX);
  if (schema.format === 'date-time') {
    return fc
      .date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') })
      .map((date) => date.toISOString());
  }
  if (typeof schema.pattern === 'string') {
    const pattern = new RegExp(schema.pattern, 'u');
    // Looking ahead can only be done afterwards.
    const wider = new RegExp(schema.pattern.replace(/\(\?[=!][^)]*\)/g, ''), 'u');
    return fc
      .stringMatching(wider, { size: 'small' })
      .filter((text) => pattern.test(text) && text.length >= minLength && text.length <= (bound ?? 1000));
  }
  const longest = fc.constant('x'.repeat(bound ?? TEXT_LENGTH_MAX));
  return fc.oneof(
    { weight: 5, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength }) },
    { weight: 1, arbitrary: longest },
  );
}

function objects(schema: JsonObject): fc.Arbitrary<JsonValue> {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, valuesOf(property)]),
  );
  const least = numberAt(schema, 'minProperties') ?? 0;
  return fc
    .record(fields, { requiredKeys: required })
    .filter((record) => Object.keys(record).length >= least)
    .map(asJson);
}

/** `fast-check` makes records without a prototype; requests have none of that. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
