import type { TSchema } from 'typebox';

/** Makes the copy of an answer that holds what its schema names, and nothing else. */
export type ResponseFilter = (value: unknown) => unknown;

/**
 * Compiles the filter of a response schema. Fields the schema does not name are left out at every depth; a value of
 * another type, or a missing required field, throws, because then the operation has a bug and no part of its answer
 * should leave. Bounds, patterns and formats are not looked at here.
 *
 * Why not the framework's serializer: it checks the branches of a union with a validator, so a nullable record with a
 * field too many is an error there instead of a record without it. Why not `Value.Clean` of TypeBox: a list of 100
 * incidents took 14 ms instead of 0.7, and it does not know schemas of several types.
 */
export function compileResponseFilter(schema: TSchema): ResponseFilter {
  return compile(readSchema(schema), '').apply;
}

/** The keywords that matter here; anything else in a schema only narrows values. */
interface SchemaNode {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
  items?: unknown;
  additionalProperties?: unknown;
  patternProperties?: Readonly<Record<string, unknown>>;
  anyOf?: readonly unknown[];
  oneOf?: readonly unknown[];
}

interface Filter {
  /**
   * Returns true if the value can belong to this branch of a union; checks types and constants, not what is below them.
   */
  fits: (value: unknown) => boolean;
  apply: ResponseFilter;
}

/** Keywords that would need more than this filter knows; none of them occurs in the contract. */
const UNSUPPORTED = ['$ref', 'allOf', 'not', 'if', 'prefixItems'];

function readSchema(schema: unknown): SchemaNode {
  if (typeof schema !== 'object' || schema === null) return {};
  const unsupported = UNSUPPORTED.find((keyword) => keyword in schema);
  if (unsupported !== undefined) throw new Error(`response schemas cannot use ${unsupported}`);
  return schema;
}

function compile(node: SchemaNode, path: string): Filter {
  const branches = node.anyOf ?? node.oneOf;
  if (branches !== undefined) return compileUnion(branches, path);
  const types = typesOf(node);
  const isObject = types?.includes('object') === true && isStructured(node);
  const isArray = types?.includes('array') === true && node.items !== undefined;
  if (!isObject && !isArray) return compileLeaf(node, types, path);

  const object = isObject ? compileObject(node, path) : null;
  const array = isArray ? compileArray(node.items, path) : null;
  const leaf = compileLeaf(node, types, path);
  const choose = (value: unknown): Filter => {
    if (object !== null && isPlainObject(value)) return object;
    return array !== null && Array.isArray(value) ? array : leaf;
  };
  return {
    fits: (value) => choose(value).fits(value),
    apply: (value) => choose(value).apply(value),
  };
}

function typesOf(node: SchemaNode): readonly string[] | null {
  if (node.type === undefined) return null;
  return typeof node.type === 'string' ? [node.type] : node.type;
}

function isStructured(node: SchemaNode): boolean {
  return (
    node.properties !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties === false ||
    isPlainObject(node.additionalProperties)
  );
}

function compileUnion(branches: readonly unknown[], path: string): Filter {
  const filters = branches.map((branch) => compile(readSchema(branch), path));
  return {
    fits: (value) => filters.some((filter) => filter.fits(value)),
    apply(value) {
      const filter = filters.find((candidate) => candidate.fits(value));
      if (filter === undefined) throw misfit(path, 'fits no branch');
      return filter.apply(value);
    },
  };
}

function compileObject(node: SchemaNode, path: string): Filter {
  const required = new Set(node.required ?? []);
  const properties = Object.entries(node.properties ?? {}).map(([name, schema]) => ({
    name,
    isRequired: required.has(name),
    filter: compile(readSchema(schema), `${path}/${name}`),
  }));
  const names = new Set(properties.map(({ name }) => name));
  const others = compileOthers(node, path);

  return {
    fits(value) {
      if (!isPlainObject(value)) return false;
      return properties.every(({ name, isRequired, filter }) =>
        value[name] === undefined || !Object.hasOwn(value, name) ? !isRequired : filter.fits(value[name]),
      );
    },
    apply(value) {
      if (!isPlainObject(value)) throw misfit(path, 'is no object');
      const copy: Record<string, unknown> = {};
      for (const { name, isRequired, filter } of properties) {
        const item = Object.hasOwn(value, name) ? value[name] : undefined;
        if (item !== undefined) copy[name] = filter.apply(item);
        else if (isRequired) throw misfit(`${path}/${name}`, 'is missing');
      }
      if (others !== null) {
        for (const [name, item] of Object.entries(value)) {
          if (names.has(name) || item === undefined) continue;
          // Free keys come from clients, `__proto__` among them.
          Object.defineProperty(copy, name, {
            value: others.apply(item),
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }
      }
      return copy;
    },
  };
}

/** The filter of keys the schema does not name one by one; null when there may be none. */
function compileOthers(node: SchemaNode, path: string): Filter | null {
  const [pattern] = Object.values(node.patternProperties ?? {});
  if (pattern !== undefined) return compile(readSchema(pattern), `${path}/*`);
  if (isPlainObject(node.additionalProperties))
    return compile(readSchema(node.additionalProperties), `${path}/*`);
  return node.additionalProperties === true ? ANYTHING : null;
}

const ANYTHING: Filter = { fits: () => true, apply: (value) => value };

function compileArray(items: unknown, path: string): Filter {
  const item = compile(readSchema(items), `${path}/*`);
  return {
    fits: Array.isArray,
    apply(value) {
      if (!Array.isArray(value)) throw misfit(path, 'is no array');
      return value.map(item.apply);
    },
  };
}

function compileLeaf(node: SchemaNode, types: readonly string[] | null, path: string): Filter {
  const isType = (value: unknown): boolean => types === null || types.some((type) => isOfType(value, type));
  const fits = (value: unknown): boolean => {
    if ('const' in node && value !== node.const) return false;
    if (node.enum !== undefined && !node.enum.includes(value)) return false;
    return value !== undefined && isType(value);
  };
  return {
    fits,
    apply(value) {
      if (value === undefined || !isType(value))
        throw misfit(path, `is no ${types?.join(' or ') ?? 'value'}`);
      return value;
    },
  };
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainObject(value);
    default:
      // The type `string` or `boolean`.
      return typeof value === type;
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names the place, never the value. */
function misfit(path: string, fault: string): Error {
  return new Error(`an answer does not fit its schema: ${path === '' ? 'the body' : path} ${fault}`);
}
