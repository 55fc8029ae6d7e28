import type { IncomingHttpHeaders } from 'node:http';
import { type ForeignRefusal, refusal } from './foreign-refusal.ts';

/** The key that a request names, `null` for none, and what the library calls itself where it says so. */
interface ForeignCredential {
  key: string | null;
  clientName: string | null;
}

const KEY_MISSING =
  'No key: send it as sentry_key in X-Sentry-Auth, in the query, or as the dsn of the envelope.';
/** No header of ours is longer, and every part of it is scanned in one pass. */
const HEADER_LENGTH_MAX = 4096;

/**
 * The key of a Sentry library in the headers and the query (docs/contract/foreign-protocols.md 3.3). An envelope may
 * name it in its first line instead.
 */
export function sentryCredential(
  headers: IncomingHttpHeaders,
  queryText: string,
): ForeignCredential | ForeignRefusal {
  const own = sentryFields(headerText(headers['x-sentry-auth']));
  const common = sentryFields(schemeSentry(headers.authorization));
  const query = new URLSearchParams(queryText);
  const keys = [own.get('sentry_key'), common.get('sentry_key'), ...query.getAll('sentry_key')];
  const named = keys.filter((key) => key !== undefined && key !== '');
  const [key = null] = named;
  if (named.some((other) => other !== key)) return keyConflict();
  const clientName =
    own.get('sentry_client') ?? common.get('sentry_client') ?? query.get('sentry_client') ?? null;
  return { key, clientName };
}

export function keyMissing(): ForeignRefusal {
  return refusal('key_missing', KEY_MISSING);
}

export function keyConflict(): ForeignRefusal {
  return refusal('key_conflict', 'Headers, query and envelope have different keys. Configure one DSN only.');
}

/** `sentry_key=…, sentry_client=…` in any order, with the scheme or without; exporters may pass on what a variable encodes. */
function sentryFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text
    .slice(0, HEADER_LENGTH_MAX)
    .replace(/%20/g, ' ')
    .replace(/%3d/gi, '=')
    .replace(/%2c/gi, ',')
    .replace(/^\s*sentry\s/i, '')
    .split(',')) {
    const at = part.indexOf('=');
    if (at === -1) continue;
    const value = part
      .slice(at + 1)
      .trim()
      .replace(/^"|"$/g, '');
    fields.set(part.slice(0, at).trim().toLowerCase(), value);
  }
  return fields;
}

function schemeSentry(header: string | undefined): string {
  return header !== undefined && /^\s*sentry\s/i.test(header) ? header : '';
}

function headerText(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(',') : (header ?? '');
}
