import { parseTimestamp } from './timestamps.ts';

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;

/** Longest cursor read: three names of 200 characters, each up to nine bytes when percent-encoded, and a margin. */
export const CURSOR_LENGTH_MAX = 6000;

/**
 * The cursor `<part>|<part>` of the last item of a page (docs/contract/incidents.md 2.1 and 7.1). Parts are
 * percent-encoded but for the colon, so that times and ids stay readable and no name can contain the separator.
 * Clients treat it as opaque.
 */
export function encodeCursor(parts: readonly string[]): string {
  return parts.map(encodePart).join('|');
}

/** The parts of a cursor; null unless it is exactly what `encodeCursor` makes of that many parts. */
export function decodeCursor(text: string, count: number): string[] | null {
  if (text.length > CURSOR_LENGTH_MAX) return null;
  const encoded = text.split('|', count + 1);
  if (encoded.length !== count) return null;
  try {
    const parts = encoded.map(decodeURIComponent);
    // No stored text holds NUL, and the database refuses to compare with it.
    if (parts.some((part) => part.includes('\0'))) return null;
    // One text per position: a second spelling of the same place is refused rather than understood.
    return encodeCursor(parts) === text ? parts : null;
  } catch {
    return null;
  }
}

/** A cursor `<time>|<key>`; null when malformed. The time is in milliseconds since the epoch. */
export function decodeTimeCursor(text: string): { timeMs: number; key: string } | null {
  const parts = decodeCursor(text, 2);
  const [time, key] = parts ?? [];
  if (time === undefined || key === undefined || key === '') return null;
  const timeMs = parseTimestamp(time);
  return timeMs === null ? null : { timeMs, key };
}

function encodePart(part: string): string {
  // A lone surrogate cannot be percent-encoded; stored text never holds one.
  return encodeURIComponent(part.toWellFormed()).replaceAll('%3A', ':');
}
