import { redactText } from '../redact/redact-values.ts';
import { cleanText, TRUNCATED_MARK } from './clean-text.ts';
import type { JsonValue } from './json.ts';

/** Most characters (UTF-16 units) that text of each kind keeps (docs/contract/ingestion.md 1.5). */
export const TEXT_CHARS_MAX = {
  name: 512,
  message: 16_384,
  stack: 262_144,
  url: 4_096,
  body: 65_536,
  other: 8_192,
} as const;

/** The distance past its bound in which text is searched for secrets, so that none is cut in half and missed. */
const LOOKAHEAD_CHARS = 8_192;

/** Codes with which programs set colours in a terminal, and links and marks of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes begin with one.
const TERMINAL_CODE = /\u001b(?:\[[\d;:?]{0,32}[A-Za-z]|\]8;[^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\))/g;

/**
 * Returns event text in its stored form: secrets redacted, well formed, without NUL, cut to its bound. Messages and
 * stacks lose the colours of a terminal, which part equal ones.
 */
export function safeText(written: string, maxChars: number): string {
  const isRead = maxChars === TEXT_CHARS_MAX.message || maxChars === TEXT_CHARS_MAX.stack;
  const text = isRead && written.includes('\u001b') ? written.replace(TERMINAL_CODE, '') : written;
  const searchedChars = maxChars + LOOKAHEAD_CHARS;
  if (text.length <= searchedChars) return cleanText(redactText(text), maxChars);
  return cleanText(redactText(text.slice(0, searchedChars)) + TRUNCATED_MARK, maxChars);
}

/** `safeText` of a string; null for every other value and for empty text. */
export function safeTextOrNull(value: JsonValue | undefined, maxChars: number): string | null {
  return typeof value === 'string' && value.length > 0 ? safeText(value, maxChars) : null;
}

/** An identifier: cleaned and cut but never redacted, because events are joined by it. Numbers read as text. */
export function identifierOrNull(value: JsonValue | undefined, maxChars: number): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.length > 0 ? cleanText(value, maxChars) : null;
}
