import { debugIdOf } from '@culprit/contract/releases/debug-id';

/**
 * The comments at the end of a script that name its source map and its debug id. Texts are bytes as Latin-1, so that
 * positions in them are positions in the file, whatever its encoding.
 */

/** A comment, from its first character to behind its last one. */
export interface MagicComment {
  start: number;
  end: number;
  value: string;
}

interface MagicComments {
  /** The last `sourceMappingURL`; `//@` of older tools too. */
  map: MagicComment | null;
  /** The last `debugId`, as a UUID in lower case. */
  id: MagicComment | null;
}

const TRAILING_LINES_MAX = 200;
const MAP_COMMENT = /^(?:\/\/[#@]|\/\*[#@])[ \t]*sourceMappingURL=[ \t]*([^\s'"`]+)[ \t]*(?:\*\/[ \t]*)?$/;
/** A map within its line; its encoding leaves apostrophes. */
const MAP_IN_COMMENT = /^\/\/[#@][ \t]*sourceMappingURL=[ \t]*(data:[^\s"`]+)[ \t]*$/;
const ID_COMMENT =
  /^\/\/#[ \t]*debugId=[ \t]*([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})[ \t]*$/i;
const NAME = 'sourceMappingURL=';

/**
 * Finds the comments behind the code; what looks like one inside a string or a template counts as code. An id above code is
 * that of a library that was bundled.
 */
export function findMagicComments(text: string): MagicComments {
  const found: MagicComments = { map: null, id: null };
  let end = text.length;
  for (let lines = 0; lines < TRAILING_LINES_MAX && end >= 0; lines += 1) {
    const start = Math.max(text.lastIndexOf('\n', end - 1), text.lastIndexOf('\r', end - 1)) + 1;
    const indent = indentOf(text, start, end);
    const first = start + indent;
    if (first < end && !readComment(text, first, end, found)) break;
    end = start - 1;
  }
  return found;
}

/** Reads one line of the end; false when it has code. */
function readComment(text: string, start: number, end: number, found: MagicComments): boolean {
  if (text.startsWith('//', start)) {
    take(text, start, end, found);
    const value = found.map === null ? MAP_IN_COMMENT.exec(text.slice(start, end))?.[1] : undefined;
    if (value !== undefined) found.map = { start, end, value };
    return true;
  }
  if (text.startsWith('/*', start)) {
    const close = text.indexOf('*/', start + 2);
    if (close >= 0 && close < end && text.slice(close + 2, end).trim() === '') {
      take(text, start, end, found);
      return true;
    }
  }
  const name = text.lastIndexOf(NAME, end);
  if (found.map === null && name > start) {
    const slashes = text.lastIndexOf('//', name);
    if (slashes > start && name - slashes <= 8) take(text, slashes, end, found);
  }
  return false;
}

function take(text: string, start: number, end: number, found: MagicComments): void {
  const line = text.slice(start, end);
  if (found.map === null && line.includes(NAME)) {
    const value = MAP_COMMENT.exec(line)?.[1];
    if (value !== undefined) found.map = { start, end, value };
  } else if (found.id === null) {
    const value = ID_COMMENT.exec(line)?.[1];
    if (value !== undefined) found.id = { start, end, value: debugIdOf(value) ?? '' };
  }
}

/**
 * Returns the last separate line that names a map, for files to which a tool added code after the comment. It may be
 * part of a template, so it counts only if the file that it names exists.
 */
export function findEarlierMapComment(text: string): MagicComment | null {
  let name = text.lastIndexOf(NAME);
  for (let tries = 0; name >= 0 && tries < TRAILING_LINES_MAX; tries += 1) {
    const start = Math.max(text.lastIndexOf('\n', name), text.lastIndexOf('\r', name)) + 1;
    const ends = [text.indexOf('\n', name), text.indexOf('\r', name)].filter((at) => at >= 0);
    const end = Math.min(text.length, ...ends);
    const first = start + indentOf(text, start, end);
    const value = end - first > 4096 ? undefined : MAP_COMMENT.exec(text.slice(first, end))?.[1];
    if (value !== undefined && !value.startsWith('data:')) return { start: first, end, value };
    name = start === 0 ? -1 : text.lastIndexOf(NAME, start - 1);
  }
  return null;
}

function indentOf(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return at - start;
}
