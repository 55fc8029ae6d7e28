import type { TObject } from 'typebox';
import { invalidQuery } from './invalid-query.ts';

/**
 * The parameters of a query, with numbers and booleans of the schema read from their one spelling. One that is
 * repeated, empty, unknown or not decodable is refused (docs/contract/account.md 0). Types and bounds are left to the validator.
 * @param ignoresUnknown parameters the schema does not name are passed over, whatever they hold
 * @throws Problem `invalid_query`
 */
export function parseQuery(
  text: string,
  schema: TObject | undefined,
  ignoresUnknown = false,
): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  if (text === '') return parameters;
  const properties: Record<string, unknown> = schema?.properties ?? {};
  // The first unknown name ends the loop or is skipped, so at most one value per known name is read.
  for (const segment of text.split('&')) {
    const at = segment.indexOf('=');
    const name = decode(at === -1 ? segment : segment.slice(0, at));
    if (ignoresUnknown && (name === null || !Object.hasOwn(properties, name))) continue;
    const value = at === -1 ? null : decode(segment.slice(at + 1));
    if (name === null) throw invalidQuery(segment, 'is not percent-encoded UTF-8');
    if (!Object.hasOwn(properties, name)) throw invalidQuery(name, 'is not a known parameter');
    if (Object.hasOwn(parameters, name)) throw invalidQuery(name, 'must not be repeated');
    if (value === null) throw invalidQuery(name, at === -1 ? 'has no value' : 'is not percent-encoded UTF-8');
    if (value === '') throw invalidQuery(name, 'must not be empty');
    if (value.includes('\0')) throw invalidQuery(name, 'must not contain NUL');
    parameters[name] = typed(value, properties[name]);
  }
  return parameters;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

const INTEGER = /^-?\d{1,15}$/;

/** A value that is not spelled like its type stays text, which the validator refuses. */
function typed(value: string, schema: unknown): unknown {
  const type = typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : undefined;
  if ((type === 'integer' || type === 'number') && INTEGER.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
