import type { EventField, EventShape, FieldRule } from '@culprit/contract/events/event-field';
import { envelopeShape, eventTypes, payloadShapes } from '@culprit/contract/events/event-fields';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';

type Json = fc.Arbitrary<JsonValue>;

/**
 * Events drawn from the field tables: each field under one of its names, absent, null or right. Nearly all are
 * accepted; what a table cannot tell (`first_seen` before `last_seen`) is left to chance.
 */
export function eventArbitrary(
  types: readonly (typeof eventTypes)[number][] = eventTypes,
): fc.Arbitrary<JsonObject> {
  return fc.constantFrom(...types).chain((type) =>
    fc
      .tuple(shapeArbitrary(envelopeShape), shapeArbitrary(payloadShapes[type]))
      .map(([envelope, payload]) => ({
        ...withoutSecondSdk(envelope),
        event_type: type,
        payload,
      })),
  );
}

/** Values of every kind, for places where the right one is not wanted. */
export function anyJson(): Json {
  return fc.oneof(
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      -1,
      0.5,
      1e300,
      '',
      'x',
      'error',
      [],
      {},
      [{}],
      '2026-03-24T10:30:00Z',
    ),
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value))),
  );
}

/** Both forms together would have to agree. */
function withoutSecondSdk(envelope: JsonObject): JsonObject {
  if (envelope.sdk === undefined) return envelope;
  const { sdk_name: _name, sdk_version: _version, ...rest } = envelope;
  return rest;
}

function shapeArbitrary(shape: EventShape): fc.Arbitrary<JsonObject> {
  const entries = shape.fields.map((field) => fieldArbitrary(field));
  const unnamed = shape.closed
    ? fc.constant({})
    : fc.dictionary(fc.string({ unit: 'binary', maxLength: 9 }), anyJson(), { maxKeys: 2 });
  return fc.tuple(unnamed, ...entries).map(([extra, ...parts]) => {
    const object: JsonObject = { ...withoutNamed(extra, shape) };
    for (const part of parts) if (part !== null) place(object, part.name, part.value);
    return object;
  });
}

function withoutNamed(extra: Record<string, JsonValue>, shape: EventShape): Record<string, JsonValue> {
  const named = new Set(shape.fields.flatMap((field) => field.names));
  return Object.fromEntries(Object.entries(extra).filter(([key]) => !named.has(key)));
}

function place(object: JsonObject, name: string, value: JsonValue): void {
  const [key, subKey] = name.split('.');
  if (key === undefined) return;
  if (subKey === undefined) {
    // A sub-object may already hold another spelling.
    if (object[key] === undefined) object[key] = value;
  } else {
    object[key] = { ...(object[key] as JsonObject | undefined), [subKey]: value };
  }
}

function fieldArbitrary(field: EventField): fc.Arbitrary<{ name: string; value: JsonValue } | null> {
  const isNeeded = field.required || field.requiredWithout !== null;
  const content = ruleArbitrary(field.rule, !field.required);
  const value = field.nullable && field.requiredWithout === null ? fc.option(content, { freq: 4 }) : content;
  const present = fc.record({ name: fc.constantFrom(...field.names), value });
  return isNeeded ? present : fc.option(present, { freq: 1 });
}

function ruleArbitrary(rule: FieldRule, isOptional: boolean): Json {
  switch (rule.kind) {
    case 'any':
      return anyJson();
    case 'boolean':
      return fc.boolean();
    case 'string':
      return textArbitrary(rule);
    case 'integer':
      return fc.integer({
        min: Math.max(rule.minimum, -2_147_483_648),
        max: Math.min(rule.maximum, 2_147_483_647),
      });
    case 'number':
      return fc.double({
        min: Math.max(rule.minimum, -1e9),
        max: Math.min(rule.maximum, 1e9),
        minExcluded: rule.aboveMinimum,
        noNaN: true,
      });
    case 'word':
      return fc.constantFrom(
        ...rule.words,
        ...(rule.anyCase ? rule.words.map((word) => word.toUpperCase()) : []),
      );
    case 'time':
      return fc.constantFrom(
        '2026-03-24T10:30:00Z',
        '2026-03-24T12:30:00.123456789+02:00',
        '1999-12-31T23:59:59-0130',
        '2026-03-24T10:30',
        '2026-03-24 10:30:00,123 +00',
        '20260324T103000Z',
        '20260324t2400z',
        '2026-083T10.5\u221203:30:15',
        '2026W132T103060',
        '2026-W13-2T11:30:60+01:00[Europe/Berlin][!u-ca=gregory]',
        '+999999999-12-31T23:59:59.999999999999-18:00',
      );
    case 'activation_id':
      return fc.tuple(fc.constantFrom('', 'act_', 'ACT_'), fc.uuid()).map(([prefix, uuid]) => prefix + uuid);
    case 'map':
      return orEmptyList(
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 9 }), anyJson(), { maxKeys: 4 }),
        isOptional,
      );
    case 'number_map':
      return fc.dictionary(fc.string({ maxLength: 9 }), fc.option(fc.integer()), { maxKeys: 4 });
    case 'object': {
      const hasRequirements = rule.shape.fields.some((field) => field.required);
      return orEmptyList(shapeArbitrary(rule.shape), isOptional && !hasRequirements);
    }
    case 'list':
      return fc.array(ruleArbitrary(rule.items, false), { maxLength: Math.min(rule.maxItems, 4) });
    case 'lenient':
      return fc.oneof({ weight: 3, arbitrary: ruleArbitrary(rule.rule, isOptional) }, anyJson());
    case 'either':
      return fc.oneof(...rule.rules.map((each) => ruleArbitrary(each, isOptional)));
  }
}

function orEmptyList(object: fc.Arbitrary<JsonObject>, isOptional: boolean): Json {
  return isOptional ? fc.oneof({ weight: 9, arbitrary: object as Json }, fc.constant<JsonValue>([])) : object;
}

function textArbitrary(rule: Extract<FieldRule, { kind: 'string' }>): Json {
  const maxLength = Math.min(rule.maxLength, 40);
  if (!rule.controlsAllowed)
    return fc.string({ unit: 'grapheme-ascii', minLength: rule.minLength, maxLength });
  const plain = fc.string({ unit: 'binary', minLength: rule.minLength, maxLength });
  if (rule.trimmed) return plain.map((text) => ` ${text}x\n`.slice(0, 200));
  const odd = fc.constantFrom(
    '\u0000',
    'a\ud800',
    '\udfffb',
    'Bearer abc123',
    'https://u:p@h/',
    'x'.repeat(maxLength),
  );
  return fc.oneof({ weight: 4, arbitrary: plain }, odd);
}
