import type { JsonObject } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import { identifierHash } from '../redact/identifier-hash.ts';

const DIGEST_CHARS_MAX = 256;

/**
 * The digest by which a framework names a failure of its server to the page, as React and Next.js do: the page gets an
 * error without the message, and both errors have the same `digest` (docs/contract/incidents.md 5.10). Null where the
 * context of an exception has none.
 */
export function digestIn(context: JsonObject): string | null {
  const digest = getOwn(objectOrEmpty(getOwn(context, 'error')), 'digest');
  return typeof digest === 'string' && digest !== '' && digest.length <= DIGEST_CHARS_MAX ? digest : null;
}

/** The digest of an exception as the signed number that a `bigint` column holds. */
export function failureDigest(raw: JsonObject): bigint | null {
  if (raw.event_type !== 'backend_exception' && raw.event_type !== 'frontend_exception') return null;
  const digest = digestIn(objectOrEmpty(raw.context));
  return digest === null ? null : identifierHash(`digest ${digest}`);
}
