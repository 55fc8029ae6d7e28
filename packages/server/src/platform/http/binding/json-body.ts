import { isUtf8 } from 'node:buffer';
import { withoutMark } from '@culprit/evidence/events/envelope/utf8-body';
import { pointerTo } from './payload-fault.ts';

/** A parsed body, or the fact that the bytes are none this service takes, with the place of the fault. */
type JsonBody = { ok: true; value: unknown } | { ok: false; pointer: string; fault: string };

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
  const place = SUSPICIOUS_ESCAPE.test(text) ? unstorableText(value) : null;
  return place === null
    ? { ok: true, value }
    : refused('contains NUL or half of a surrogate pair', pointerTo(place));
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

function refused(fault: string, pointer = ''): JsonBody {
  return { ok: false, pointer, fault };
}

/** The engine's own words repeat what was sent, so only the position is taken from them. */
function syntaxFault(error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
  return position === undefined ? 'is not JSON, or ends too early' : `is not JSON at character ${position}`;
}

/** A value of a body, and the way to it. */
interface Place {
  value: unknown;
  name: string;
  parent: Place | null;
}

/**
 * Returns the names on the way to the first text that the database cannot keep; null if there is none. Walks with a
 * separate list: a body of the allowed size can nest deeper than the call stack.
 */
function unstorableText(root: unknown): string[] | null {
  const open: Place[] = [{ value: root, name: '', parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    if (typeof value === 'string') {
      if (isUnstorable(value)) return namesTo(place);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const inner = { value: item, name, parent: place };
        if (isUnstorable(name)) return namesTo(inner);
        open.push(inner);
      }
    }
  }
  return null;
}

function isUnstorable(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

function namesTo(place: Place): string[] {
  const names: string[] = [];
  for (let each = place; each.parent !== null; each = each.parent) names.push(each.name);
  return names.reverse();
}
