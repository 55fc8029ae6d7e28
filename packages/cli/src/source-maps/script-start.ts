/** The text that must stay in front of a script's code when a line is inserted there. Texts are bytes as Latin-1. */

interface ScriptStart {
  /** The place of the line: after a byte order mark and the line of a hash-bang. */
  offset: number;
  /** The number of lines before it. */
  line: number;
  /** True if the text before it ends with a line end, or is empty. */
  isAtLineStart: boolean;
  /** Directives such as `"use strict"`, in their own quotes. A statement in front of them would end their effect. */
  directives: string[];
}

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const DIRECTIVES_MAX = 20;
const STRING = /(?:"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*')/y;
/** White space, among it U+00A0, U+FEFF, U+2028 and U+2029 as UTF-8. */
const SPACE = /(?:[\t\v\f \r\n]|\u00c2\u00a0|\u00ef\u00bb\u00bf|\u00e2\u0080[\u00a8\u00a9])+/y;
/** The tokens with which an expression continues on the next line, so that the string before it is no directive. */
const CONTINUES = /(?:[.([`+*/%,?=<>&|^:-]|!=|in(?:stanceof)?\b)/y;
const STEPS = /(?:\+\+|--)/y;

export function readScriptStart(text: string): ScriptStart {
  let offset = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  let line = 0;
  let isAtLineStart = true;
  if (text.startsWith('#!', offset)) {
    const end = /\r\n|\n|\r/g;
    end.lastIndex = offset;
    const match = end.exec(text);
    isAtLineStart = match !== null;
    line = 1;
    offset = match === null ? text.length : match.index + match[0].length;
  }
  return { offset, line, isAtLineStart, directives: readDirectives(text, offset) };
}

function readDirectives(text: string, from: number): string[] {
  const directives: string[] = [];
  let at = skipSpace(text, from).end;
  while (directives.length < DIRECTIVES_MAX) {
    STRING.lastIndex = at;
    const string = STRING.exec(text)?.[0];
    if (string === undefined) break;
    const gap = skipSpace(text, at + string.length);
    const next = text[gap.end];
    if (next !== ';' && next !== '}' && next !== undefined) {
      if (!gap.hasLineEnd || continues(text, gap.end)) break;
    }
    // One with a line end inside would move every line; the engines know none of those.
    if (!/[\r\n]|\u00e2\u0080[\u00a8\u00a9]/.test(string)) directives.push(string);
    at = skipSpace(text, next === ';' ? gap.end + 1 : gap.end).end;
  }
  return directives;
}

function continues(text: string, at: number): boolean {
  STEPS.lastIndex = at;
  if (STEPS.test(text)) return false;
  CONTINUES.lastIndex = at;
  return CONTINUES.test(text);
}

/** The end of white space and comments. */
function skipSpace(text: string, from: number): { end: number; hasLineEnd: boolean } {
  let end = from;
  let hasLineEnd = false;
  for (;;) {
    SPACE.lastIndex = end;
    const space = SPACE.exec(text)?.[0];
    if (space !== undefined) {
      hasLineEnd ||= /[\r\n]|\u00e2\u0080/.test(space);
      end += space.length;
    } else if (text.startsWith('//', end)) {
      const line = /[\r\n]/g;
      line.lastIndex = end;
      end = line.exec(text)?.index ?? text.length;
    } else if (text.startsWith('/*', end)) {
      const close = text.indexOf('*/', end + 2);
      if (close < 0) return { end: text.length, hasLineEnd };
      hasLineEnd ||= /[\r\n]/.test(text.slice(end, close));
      end = close + 2;
    } else {
      return { end, hasLineEnd };
    }
  }
}
