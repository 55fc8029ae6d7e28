import type { EventField, EventShape, FieldRule } from './event-field.ts';
import { envelopeShape, eventTypes, payloadShapes } from './event-fields.ts';

/** A schema as plain JSON (JSON Schema draft 2020-12, as OpenAPI 3.1 uses it). */
interface SchemaObject {
  [keyword: string]: SchemaValue;
}
type SchemaValue = string | number | boolean | null | SchemaObject | SchemaValue[];

/**
 * Schema of one event, made from the field tables, for documentation and tooling. Every event that the service
 * accepts fits it. It is more generous than the service in what a schema cannot say well: two spellings with
 * different values, calendar dates, the order of `first_seen` and `last_seen`, and lengths after trimming.
 */
export function buildEventSchema(): SchemaObject {
  const { properties, required, allOf } = shapeParts(envelopeShape);
  return {
    title: 'Event',
    description:
      'One event. `timestamp`, `sdk` and `error_class` are the short spellings, `occurred_at`, `sdk_name` and `name` those of published client libraries; if both spellings of a field are sent, their values must be equal.',
    type: 'object',
    additionalProperties: false,
    properties,
    required,
    ...(allOf.length > 0 ? { allOf } : {}),
    oneOf: eventTypes.map((type) => ({
      title: type,
      properties: { event_type: { const: type }, payload: shapeSchema(payloadShapes[type]) },
    })),
  };
}

/** Schema of the body of `POST /v1/events`. Events are judged one by one, so a bad one does not refuse the body. */
export function buildEventBatchSchema(): SchemaObject {
  return {
    title: 'EventBatch',
    type: 'object',
    additionalProperties: false,
    properties: { events: { type: 'array', items: buildEventSchema() } },
    required: ['events'],
  };
}

interface ShapeParts {
  properties: SchemaObject;
  required: string[];
  /** One entry for each requirement that several keys can satisfy. */
  allOf: SchemaObject[];
}

function shapeSchema(shape: EventShape): SchemaObject {
  const { properties, required, allOf } = shapeParts(shape);
  return {
    type: 'object',
    ...(shape.closed ? { additionalProperties: false } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(allOf.length > 0 ? { allOf } : {}),
  };
}

function shapeParts(shape: EventShape): ShapeParts {
  const parts: ShapeParts = { properties: {}, required: [], allOf: [] };
  const subProperties: Record<string, SchemaObject> = {};
  for (const field of shape.fields) {
    for (const name of field.names) {
      const [key, subKey] = splitName(name);
      if (subKey === null) parts.properties[key] = fieldSchema(field);
      else subProperties[key] = { ...subProperties[key], [subKey]: fieldSchema(field) };
    }
    if (field.required && field.names.length === 1) parts.required.push(field.names[0]);
    else if (field.required) parts.allOf.push({ anyOf: field.names.map(presence) });
    if (field.requiredWithout !== null) {
      parts.allOf.push({ anyOf: [field.names[0], field.requiredWithout].map(valuePresence) });
    }
  }
  // `error.type` is a spelling of `name`, so the key of the sub-object has the type of that field.
  for (const [key, properties] of Object.entries(subProperties)) {
    parts.properties[key] = objectOrEmptyList({ type: 'object', properties });
  }
  return parts;
}

function splitName(name: string): [key: string, subKey: string | null] {
  const dot = name.indexOf('.');
  return dot === -1 ? [name, null] : [name.slice(0, dot), name.slice(dot + 1)];
}

function presence(name: string): SchemaObject {
  const [key, subKey] = splitName(name);
  return subKey === null
    ? { required: [key] }
    : { required: [key], properties: { [key]: { type: 'object', required: [subKey] } } };
}

function valuePresence(name: string): SchemaObject {
  return { required: [name], properties: { [name]: { type: 'string' } } };
}

function fieldSchema(field: EventField): SchemaObject {
  const schema = ruleSchema(field.rule, !field.required);
  if (!field.nullable || field.rule.kind === 'any') return schema;
  if (typeof schema.type === 'string' && schema.enum === undefined)
    return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [...(Array.isArray(schema.anyOf) ? schema.anyOf : [schema]), { type: 'null' }] };
}

/** @param isOptional an optional object or map may come as `[]`, which is how PHP writes an empty one */
function ruleSchema(rule: FieldRule, isOptional: boolean): SchemaObject {
  switch (rule.kind) {
    case 'any':
      return {};
    case 'boolean':
      return { type: 'boolean' };
    case 'string':
      return textSchema(rule);
    case 'integer':
      return { type: 'integer', ...boundsOf(rule) };
    case 'number': {
      const { minimum, ...upper } = boundsOf(rule);
      if (minimum === undefined) return { type: 'number', ...upper };
      return { type: 'number', [rule.aboveMinimum ? 'exclusiveMinimum' : 'minimum']: minimum, ...upper };
    }
    case 'word':
      return rule.anyCase
        ? { type: 'string', pattern: `^(?:${rule.words.map(anyCasePattern).join('|')})$` }
        : { type: 'string', enum: [...rule.words] };
    case 'time':
      return { type: 'string', pattern: timePattern(), description: 'ISO 8601 date-time' };
    case 'activation_id':
      return { type: 'string', pattern: ACTIVATION_ID_PATTERN };
    case 'map':
      return isOptional ? objectOrEmptyList({ type: 'object' }) : { type: 'object' };
    case 'number_map':
      return objectOrEmptyList({ type: 'object', additionalProperties: { type: ['number', 'null'] } });
    case 'object': {
      const schema = shapeSchema(rule.shape);
      // An empty list means an empty object, which lacks what is required in it.
      const hasRequirements = schema.required !== undefined || schema.allOf !== undefined;
      return isOptional && !hasRequirements ? objectOrEmptyList(schema) : schema;
    }
    case 'list':
      return {
        type: 'array',
        items: ruleSchema(rule.items, false),
        ...(Number.isFinite(rule.maxItems) ? { maxItems: rule.maxItems } : {}),
      };
    case 'lenient':
      return {
        anyOf: [
          ruleSchema(rule.rule, isOptional),
          { description: 'Anything else is accepted and kept as an unnamed key' },
        ],
      };
    case 'either':
      return { anyOf: rule.rules.map((each) => ruleSchema(each, isOptional)) };
  }
}

function objectOrEmptyList(schema: SchemaObject): SchemaObject {
  return { anyOf: [schema, { type: 'array', maxItems: 0 }] };
}

function textSchema(rule: Extract<FieldRule, { kind: 'string' }>): SchemaObject {
  const schema: SchemaObject = { type: 'string' };
  if (rule.trimmed) {
    if (rule.minLength > 0) schema.pattern = '\\S';
    schema.description = `${rule.minLength} to ${rule.maxLength} characters after trimming`;
    return schema;
  }
  if (rule.minLength > 0) schema.minLength = rule.minLength;
  if (Number.isFinite(rule.maxLength)) schema.maxLength = rule.maxLength;
  if (!rule.controlsAllowed) schema.pattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
  return schema;
}

function boundsOf(rule: { minimum: number; maximum: number }): { minimum?: number; maximum?: number } {
  return {
    ...(Number.isFinite(rule.minimum) ? { minimum: rule.minimum } : {}),
    ...(Number.isFinite(rule.maximum) ? { maximum: rule.maximum } : {}),
  };
}

function anyCasePattern(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
}

const ACTIVATION_ID_PATTERN =
  '^(?:[aA][cC][tT]_)?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/** The forms of a date-time; whether the day exists is left to the service. */
function timePattern(): string {
  const hyphen = '[\\-\\u2010\\u2212]';
  const sign = '[+\\-\\u2010\\u2212]';
  const month = '(?:0[1-9]|1[0-2])';
  const day = '(?:0[1-9]|[12]\\d|3[01])';
  const week = 'W(?:0[1-9]|[1-4]\\d|5[0-3])';
  const extendedDate = `(?:\\d{4}|${sign}\\d{4,10})${hyphen}(?:${month}${hyphen}${day}|${week}${hyphen}[1-7]|[0-3]\\d\\d)`;
  const basicDate = `\\d{4}(?:${month}${day}|${week}[1-7]|[0-3]\\d\\d)`;
  const hour = '(?:[01]\\d|2[0-4])';
  const clock = `${hour}(?::[0-5]\\d(?::(?:[0-5]\\d|60))?|[0-5]\\d(?:[0-5]\\d|60)?)?`;
  const annotations = '(?:\\[[!+\\-./:=_~0-9A-Za-z]+\\])*';
  return `^(?:${extendedDate}|${basicDate})[Tt ]${clock}(?:[.,]\\d+)?(?: ?(?:[Zz]|${sign}${clock}))?${annotations}$`;
}
