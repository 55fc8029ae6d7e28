import { wholeMark } from './marks.ts';

const IPV6 = /(?<![\w:])(?=[a-f:]{0,40}\d)(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi;

const TWO_COLONS = /:[0-9a-f]{0,4}:/i;

/** Marks values that hold separators; a plural in brackets goes. */
export function markWholeValues(line: string): string {
  let text = line.includes('(s)') ? line.replaceAll('(s)', '') : line;
  if (text.includes('://')) text = markAround(text, '://', urlBounds, wholeMark('url'));
  if (text.includes('@')) text = markAround(text, '@', emailBounds, wholeMark('email'));
  return TWO_COLONS.test(text) ? text.replace(IPV6, wholeMark('ip')) : text;
}

type Bounds = { start: number; end: number } | null;

/** Replaces what `boundsOf` finds around each `anchor`, from left to right. */
function markAround(
  text: string,
  anchor: string,
  boundsOf: (text: string, at: number, from: number) => Bounds,
  mark: string,
): string {
  let marked = '';
  let copied = 0;
  for (let at = text.indexOf(anchor); at !== -1; at = text.indexOf(anchor, Math.max(copied, at + 1))) {
    const bounds = boundsOf(text, at, copied);
    if (bounds === null) continue;
    marked += text.slice(copied, bounds.start) + mark;
    copied = bounds.end;
  }
  return marked + text.slice(copied);
}

const SCHEME_CHARS_MAX = 21;
const URL_END = /[\s"'<>)\]}`]/g;
const URL_TRAILING = ',.;:!?';

function urlBounds(text: string, at: number, from: number): Bounds {
  const start = runStart(text, at, Math.max(from, at - SCHEME_CHARS_MAX), isSchemeCode);
  URL_END.lastIndex = at;
  let end = URL_END.test(text) ? URL_END.lastIndex - 1 : text.length;
  while (URL_TRAILING.includes(text.charAt(end - 1))) end -= 1;
  return at - start < 2 || end <= at + 3 ? null : { start, end };
}

const LOCAL_CHARS_MAX = 64;
const DOMAIN = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/uy;

function emailBounds(text: string, at: number, from: number): Bounds {
  const start = runStart(text, at, Math.max(from, at - LOCAL_CHARS_MAX), isLocalCode);
  if (start === at) return null;
  DOMAIN.lastIndex = at + 1;
  return DOMAIN.test(text) ? { start, end: DOMAIN.lastIndex } : null;
}

function runStart(text: string, end: number, min: number, belongs: (code: number) => boolean): number {
  let start = end;
  while (start > min && belongs(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function isSchemeCode(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e;
}

function isLocalCode(code: number): boolean {
  return isSchemeCode(code) || code === 0x5f || code === 0x25 || (code >= 0xc0 && code < 0x2000);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
