import { readFileSync } from 'node:fs';
import { usageError } from '../cli-error.ts';
import { visibleLine } from '../output/visible-text.ts';

/** The type of a value in a settings file. */
type Kind = 'text' | 'boolean' | 'object' | 'texts';

/** A settings file, read and checked: unknown keys and wrong values are named with the file. */
export function readSettingsFile(
  path: string,
  keys: Readonly<Record<string, Kind>>,
): Map<string, unknown> | null {
  const text = readIfThere(path);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`${visibleLine(path)} is not JSON.`, 'fix the file, or delete it');
  }
  return checkKeys(value, keys, path, '');
}

/** The keys of an object, each of its kind. */
export function checkKeys(
  value: unknown,
  keys: Readonly<Record<string, Kind>>,
  path: string,
  below: string,
): Map<string, unknown> {
  if (!isObject(value)) throw usageError(`${visibleLine(path)}: ${below || 'the content'} is not an object.`);
  for (const [key, each] of Object.entries(value)) {
    const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
    const name = visibleLine(below === '' ? key : `${below}.${key}`);
    if (kind === undefined) {
      throw usageError(
        `${visibleLine(path)} has the unknown key "${name}".`,
        `the keys are ${Object.keys(keys).join(', ')}`,
      );
    }
    if (!isOfKind(each, kind)) throw usageError(`${visibleLine(path)}: "${name}" is not ${WORDS[kind]}.`);
  }
  return new Map(Object.entries(value));
}

const WORDS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  boolean: 'true or false',
  object: 'an object',
  texts: 'a list of texts',
};

function isOfKind(value: unknown, kind: Kind): boolean {
  if (value === null) return kind === 'text';
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'boolean') return typeof value === 'boolean';
  if (kind === 'object') return isObject(value);
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** An object of JSON. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a file, or null when there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return null;
    }
    throw error;
  }
}

/** Returns the value of an object at a path of keys, separated by dots. */
export function valueAt(record: JsonObject, path: string): unknown {
  let value: unknown = record;
  for (const part of path.split('.')) value = isObject(value) ? value[part] : undefined;
  return value;
}
