import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { isObject, type JsonObject } from '../config/json-file.ts';
import type { Flag } from '../flag.ts';
import type { FieldFlag } from './fields.ts';

/** The properties of a flag that the schema of its field lacks. */
interface Other {
  /** The place of the value, when it is not the name of the flag with underscores. */
  readonly field?: string;
  readonly as?: NonNullable<FieldFlag['as']>;
  /** The default, in the words of the help. */
  readonly standard?: string;
}

/** Builds a flag from `-e, --environment NAME`, or `--enable` for a switch. */
type FlagOf = (words: string, says: string, other?: string | Other) => FieldFlag;

/** Returns a builder of flags that are fields of requests to this endpoint: their values follow from its schemas. */
export function flagsOf(endpoint: Endpoint): FlagOf {
  return (words, says, other = {}) => {
    const { name, short, value } = namesIn(words);
    const { field = name.replaceAll('-', '_'), ...rest } =
      typeof other === 'string' ? { field: other } : other;
    return {
      name,
      ...short,
      ...value,
      field,
      ...(rest.as === undefined ? typeOf(schemaOf(endpoint, field), value) : {}),
      ...(rest.as === 'time ahead' ? { kind: 'time' } : {}),
      ...rest,
      says,
    };
  };
}

/** Returns the values that a field of the endpoint's requests can have. */
export function choicesOf(endpoint: Endpoint, field: string): readonly string[] {
  return textsOf(schemaOf(endpoint, field).enum);
}

function namesIn(words: string) {
  const [, short, name, value] = /^(?:-(\w), )?--([\w-]+)(?: (.+))?$/.exec(words) ?? [];
  if (name === undefined) throw new Error(`"${words}" does not name a flag`);
  return {
    name,
    short: short === undefined ? {} : { short },
    value: value === undefined ? {} : { value },
  };
}

/** The type of a flag's value, and the conversion to that of the field. */
function typeOf(schema: JsonObject, { value }: Pick<Flag, 'value'>): Partial<FieldFlag> {
  const { type, minimum: min, maximum: max, items } = schema;
  if (value === undefined) return { as: 'true' };
  if (value === 'FILE') return { as: 'content of a file' };
  if (value === 'JSON') return type === 'string' ? {} : { as: 'json' };
  if (value === 'DURATION') return { kind: 'duration', as: 'seconds' };
  const choices = textsOf(isObject(items) ? items.enum : schema.enum);
  const chosen = choices.length === 0 ? {} : { choices };
  if (type === 'array') return { ...chosen, isRepeatable: true, as: 'list' };
  if (type === 'boolean') return { choices: ['true', 'false'], as: 'json' };
  if (type !== 'integer' && type !== 'number') return chosen;
  return {
    kind: type,
    ...(typeof min === 'number' ? { min } : {}),
    ...(typeof max === 'number' ? { max } : {}),
    as: 'number',
  };
}

/** The schema of a field, inside nullable objects and unions too. */
function schemaOf({ id, query, body }: Endpoint, field: string): JsonObject {
  let schemas: unknown[] = [query, body];
  for (const key of field.split('.')) {
    schemas = schemas
      .flatMap(alternativesOf)
      .map(({ properties }) => (isObject(properties) ? properties[key] : undefined));
  }
  const schema = schemas.flatMap(alternativesOf).find(({ type }) => type !== 'null');
  if (schema === undefined) throw new Error(`${id} has no field ${field}`);
  return schema;
}

function alternativesOf(schema: unknown): JsonObject[] {
  if (!isObject(schema)) return [];
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(alternativesOf) : [schema];
}

function textsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
