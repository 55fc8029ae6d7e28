import { isUtf8 } from 'node:buffer';
import { withoutMark } from '@culprit/evidence/events/envelope/utf8-body';

/** A parsed body, or the fact that the bytes are none this service takes. */
export type JsonBody = { ok: true; value: unknown } | { ok: false; fault: string };

/** Escapes of NUL and of surrogates: the only way either gets into text that is valid UTF-8. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Parses a management body. Refused besides broken JSON: bytes that are not UTF-8, and text the database cannot keep
 * (NUL, lone surrogates). A byte order mark is passed over (RFC 8259 8.1). Keys such as `__proto__` become ordinary own keys, which closed schemas refuse.
 */
export function parseJsonBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) return refused('is not UTF-8');
  const text = withoutMark(bytes).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused(syntaxFault(error));
  }
  return SUSPICIOUS_ESCAPE.test(text) && holdsUnstorableText(value)
    ? refused('contains NUL or half of a surrogate pair')
    : { ok: true, value };
}

/**
 * Returns true if the body of an endpoint without one is absent in any of the accepted spellings
 * (docs/contract/incidents.md 0).
 */
export function isNoBody(bytes: Buffer): boolean {
  if (bytes.length === 0) return true;
  const body = parseJsonBody(bytes);
  if (!body.ok) return isUtf8(bytes) && bytes.toString('utf8').trim() === '';
  return (
    typeof body.value === 'object' &&
    body.value !== null &&
    !Array.isArray(body.value) &&
    Object.keys(body.value).length === 0
  );
}

function refused(fault: string): JsonBody {
  return { ok: false, fault };
}

/** The engine's own words repeat what was sent, so only the position is taken from them. */
function syntaxFault(error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
  return position === undefined ? 'is not JSON, or ends too early' : `is not JSON at character ${position}`;
}

/** Walks with a separate list: a body of the allowed size can nest deeper than the call stack. */
function holdsUnstorableText(root: unknown): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') {
      if (value.includes('\0') || !value.isWellFormed()) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        if (key.includes('\0') || !key.isWellFormed()) return true;
        open.push(item);
      }
    }
  }
  return false;
}
