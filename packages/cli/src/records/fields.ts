import { readFileSync } from 'node:fs';
import { usageError } from '../cli-error.ts';
import type { JsonObject } from '../config/json-file.ts';
import { parseDurationMs } from '../duration.ts';
import type { Flag } from '../flag.ts';
import type { Input } from '../input.ts';
import { instantMs } from '../instant.ts';

/** A flag that is a field of a request. */
export interface FieldFlag extends Flag {
  /** The place of its value; a dot means a key inside an object. */
  readonly field: string;
  /** The conversion of the text; the text itself when absent. */
  readonly as?:
    | 'number'
    | 'seconds'
    | 'list'
    | 'words'
    | 'true'
    | 'false'
    | 'empty list'
    | 'null'
    | 'time ahead'
    | 'content of a file'
    | 'lines of a file'
    | 'json';
}

/** The fields that were given, as the request takes them. `--clear NAME` makes one null. */
export function fieldsOf(input: Input, flags: readonly Flag[]): JsonObject {
  const fields: JsonObject = {};
  const given = flags.filter(isFieldFlag).filter(({ name }) => input.has(name));
  for (const flag of given) {
    const other = given.find((each) => each !== flag && each.field === flag.field);
    if (other !== undefined) throw usageError(`--${flag.name} and --${other.name} cannot be combined.`);
    setField(fields, flag.field, fieldValue(flag, input));
  }
  for (const name of input.list('clear')) {
    const flag = flags.find((each) => each.name === name);
    if (flag === undefined || !isFieldFlag(flag)) {
      const known = flags.filter(isFieldFlag).map((each) => each.name);
      throw usageError(`--clear must be one of ${known.join(', ')}.`);
    }
    setField(fields, flag.field, null);
  }
  return fields;
}

export function setField(fields: JsonObject, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    fields[first] = value;
    return;
  }
  const inner = fields[first];
  const holder: JsonObject = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  setField(holder, rest.join('.'), value);
  fields[first] = holder;
}

function isFieldFlag(flag: Flag): flag is FieldFlag {
  return 'field' in flag && typeof flag.field === 'string';
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw usageError(`--${name}: ${file} cannot be read.`);
  }
}

function fieldValue({ name, as }: FieldFlag, input: Input): unknown {
  const text = input.text(name) ?? '';
  switch (as) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'list':
      return input.list(name);
    case 'empty list':
      return [];
    case 'null':
      return null;
    case 'words':
      return text.split(',').map((word) => word.trim());
    case 'number':
      return Number(text);
    case 'seconds':
      return Math.round((parseDurationMs(text) ?? 0) / 1000);
    case 'time ahead': {
      const aheadMs = parseDurationMs(text);
      return new Date(aheadMs === null ? instantMs(text) : Date.now() + aheadMs).toISOString();
    }
    case 'content of a file':
      return contentOf(name, text);
    case 'lines of a file':
      return contentOf(name, text)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        throw usageError(`--${name} is not JSON.`);
      }
    default:
      return text;
  }
}
