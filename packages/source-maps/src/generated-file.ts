import { createHash } from 'node:crypto';
import { lineStarts } from './source-lines.ts';

/** A generated file as places of maps count in it. */
export interface GeneratedFile {
  text: string;
  starts: readonly number[];
  /** Of its last comment. */
  debugId: string | null;
  /** It fills `_debugIds` or `_sentryDebugIds` when it runs. */
  registersId: boolean;
}

const COMMENT =
  /^[ \t]*\/\/[#@] debugId=([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[ \t]*\r?$/gim;
const COMMENT_CHARS = 4096;

/** Reads a generated file; a byte order mark is no part of its first line. */
export function readGenerated(bytes: Buffer): GeneratedFile {
  const text = new TextDecoder('utf-8').decode(bytes);
  const comments = [...text.slice(-COMMENT_CHARS).matchAll(COMMENT)];
  return {
    text,
    starts: lineStarts(text),
    debugId: comments.at(-1)?.[1]?.toLowerCase() ?? null,
    registersId: /\b(?:_debugIds|_sentryDebugIds)\b/.test(text),
  };
}

/** The units before and at a place that counts from 0; null where the file has no such place. */
export function unitsAt(
  { text, starts }: GeneratedFile,
  line: number,
  column: number,
): [string, string] | null {
  const start = starts[line];
  if (start === undefined || start + column > (starts[line + 1] ?? text.length)) return null;
  const at = start + column;
  return [column === 0 ? '' : text.charAt(at - 1), text.charAt(at)];
}

const TOOL_COMMENT = /^[ \t]*\/\/[#@][ \t]*(?:sourceMappingURL|debugId)=\S*[ \t]*$/;

/** The hash of a file without the comments at its end that tools add to what they upload, and without blank lines there. */
export function codeHash(text: string): string {
  const lines = text.split(/\r\n|\n/);
  while (lines.length > 0 && (lines.at(-1)?.trim() === '' || TOOL_COMMENT.test(lines.at(-1) ?? '')))
    lines.pop();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
