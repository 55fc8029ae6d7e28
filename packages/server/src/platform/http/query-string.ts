import type { TObject } from 'typebox';

/**
 * The parameters of a query, with numbers and booleans of the schema read from their one spelling; null when one is
 * repeated, empty, unknown or not decodable (docs/contract/account.md 0). Types and bounds are left to the validator.
 * @param ignoresUnknown parameters the schema does not name are passed over, whatever they hold
 */
export function parseQuery(
  text: string,
  schema: TObject | undefined,
  ignoresUnknown = false,
): Record<string, unknown> | null {
  const parameters: Record<string, unknown> = {};
  if (text === '') return parameters;
  const properties: Record<string, unknown> = schema?.properties ?? {};
  // The first unknown name ends the loop or is skipped, so at most one value per known name is read.
  for (const segment of text.split('&')) {
    const at = segment.indexOf('=');
    const name = decode(at === -1 ? segment : segment.slice(0, at));
    if (ignoresUnknown && (name === null || !Object.hasOwn(properties, name))) continue;
    const value = at === -1 ? null : decode(segment.slice(at + 1));
    if (name === null || value === null || value === '' || value.includes('\0')) return null;
    if (!Object.hasOwn(properties, name) || Object.hasOwn(parameters, name)) return null;
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
