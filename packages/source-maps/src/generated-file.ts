import { createHash } from 'node:crypto';
import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { hasRareLineEnds, lineStarts } from './source-lines.ts';

/** A generated file as places of maps count in it. */
export interface GeneratedFile {
  text: string;
  /** The starts of lines as engines count them. */
  starts: readonly number[];
  /** The starts for tools that end lines at line feeds alone; null if they are the same. */
  feedStarts: readonly number[] | null;
  /** The id in its last comment. */
  debugId: string | null;
  /** It fills `_debugIds` or `_sentryDebugIds` when it runs. */
  registersId: boolean;
  /** The ids that it registers at its beginning, where tools put them; further down a library may have its own. */
  registeredIds: readonly string[];
  /** It is no text: its places are offsets of bytes in one line. */
  isBytecode: boolean;
}

/** The first bytes of files of Hermes, which React Native runs in place of text. */
const HERMES = Buffer.from('c61fbc03c103191f', 'hex');

/** Returns true if a generated file is bytecode. */
export function isBytecode(bytes: Uint8Array): boolean {
  return HERMES.equals(bytes.subarray(0, HERMES.length));
}

const TRAILING_LINES_MAX = 200;
const ID_COMMENT = /^\/\/[#@][ \t]*debugId=[ \t]*([0-9a-f-]{32,36})[ \t]*$/i;

/** Reads a generated file; a byte order mark is no part of its first line. */
export function readGenerated(bytes: Buffer): GeneratedFile {
  if (isBytecode(bytes)) {
    const text = bytes.toString('latin1');
    return {
      text,
      starts: [0],
      feedStarts: null,
      debugId: null,
      registersId: false,
      registeredIds: [],
      isBytecode: true,
    };
  }
  const text = new TextDecoder('utf-8').decode(bytes);
  return {
    isBytecode: false,
    text,
    starts: lineStarts(text),
    feedStarts: hasRareLineEnds(text) ? lineStarts(text, 'feeds') : null,
    debugId: trailingDebugId(text),
    registersId: /\b(?:_debugIds|_sentryDebugIds)\b/.test(text),
    registeredIds: registeredIds(text),
  };
}

const HEAD_CHARS = 4096;
const REGISTRATION =
  /_(?:sentryD|d)ebugIds\b[^;]{0,200}?=\s{0,9}["']([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})["']/gi;

/** The ids that a script registers at its beginning, in order. A plug-in and a command line may both have been there. */
export function registeredIds(text: string): string[] {
  const ids = [...text.slice(0, HEAD_CHARS).matchAll(REGISTRATION)].map(([, id = '']) => debugIdOf(id));
  return [...new Set(ids.filter((id) => id !== null))];
}

/** The id of the comments behind the code: one above code is that of a library that was bundled. */
function trailingDebugId(text: string): string | null {
  let end = text.length;
  for (let lines = 0; lines < TRAILING_LINES_MAX && end >= 0; lines += 1) {
    const start = Math.max(text.lastIndexOf('\n', end - 1), text.lastIndexOf('\r', end - 1)) + 1;
    // A map inside the file may have megabytes.
    const head = text.slice(start, Math.min(end, start + 4096)).trimStart();
    if (head !== '') {
      const id = ID_COMMENT.exec(head.trimEnd())?.[1];
      const found = id === undefined ? null : debugIdOf(id);
      if (found !== null) return found;
      if (!head.startsWith('//') && !isBlockComment(text, start, end)) return null;
    }
    end = start - 1;
  }
  return null;
}

function isBlockComment(text: string, start: number, end: number): boolean {
  const first = text.indexOf('/*', start);
  if (first < 0 || text.slice(start, first).trim() !== '') return false;
  const close = text.indexOf('*/', first + 2);
  return close >= 0 && close < end && text.slice(close + 2, end).trim() === '';
}

/** The units before and at a place that counts from 0; null where the file has no such place. */
export function unitsAt(
  text: string,
  starts: readonly number[],
  line: number,
  column: number,
): [string, string] | null {
  const start = starts[line];
  if (start === undefined || start + column > (starts[line + 1] ?? text.length)) return null;
  const at = start + column;
  return [column === 0 ? '' : text.charAt(at - 1), text.charAt(at)];
}

const TOOL_COMMENT = /^[ \t]*\/\/[#@][ \t]*(?:sourceMappingURL|debugId)=\S*[ \t]*$/;

const HASHED_CHARS = 1_048_576;

/** The hash of a file without the comments at its end that tools add to what they upload, and without blank lines there. */
export function codeHash(text: string): string {
  const end = endOfCode(text);
  const hash = createHash('sha256');
  // In pieces: a copy of the whole file is as large as the file.
  for (let at = 0; at < end; ) {
    const next = Math.min(end, at + HASHED_CHARS);
    // Neither a line end nor a character is divided.
    const to = next < end && /[\r\ud800-\udbff]/.test(text[next - 1] ?? '') ? next - 1 : next;
    hash.update(text.slice(at, to).replaceAll('\r\n', '\n'));
    at = to;
  }
  return hash.digest('hex');
}

/** The end of the last line that is neither blank nor a comment of a tool, without its line end. */
function endOfCode(text: string): number {
  for (let end = text.length; end >= 0; ) {
    const feed = end === 0 ? -1 : text.lastIndexOf('\n', end - 1);
    const line = text.slice(feed + 1, end);
    if (line.trim() !== '' && !TOOL_COMMENT.test(line)) return end;
    end = text[feed - 1] === '\r' ? feed - 1 : feed;
  }
  return 0;
}
