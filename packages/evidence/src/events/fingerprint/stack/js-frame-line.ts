import { positionNumber } from './stack-lines.ts';

/** A frame line of a JavaScript engine as written, before names are cleaned. */
export interface JsFrameLine {
  function: string;
  file: string;
  line: number | null;
  column: number | null;
  /** The column is an offset in bytecode, from 0. */
  isOffset?: true;
}

const FILE_START =
  /(?:[a-z][a-z0-9+.-]*:\/\/|node:|data:[\w/+.-]{1,80}[;,]|about:[a-z]|blob:|\/|[A-Za-z]:[\\/]|\\\\|\.{0,2}\/|internal\/|webpack|eval at |evalmachine\.|\[(?:worker )?eval\d{0,6}\]|REPL\d{1,6}:|VM\d{1,9}(?=[ :)])|<anonymous>|native|[\w@.$-]+\/|[\w.$-]+\.(?:[cm]?[jt]sx?|vue|svelte|astro))/y;
const OTHER_FRAME =
  /^\s*(?:[A-Za-z][\w .]{0,63}\*)?([^@\s]*)@((?:[a-z][a-z0-9+.-]*:\/\/|data:|about:|blob:|\/|webpack).*?):(\d+)(?::(\d+))?\s*$/;

/**
 * Reads a V8 frame. Matches what the contract's pattern does, in linear time:
 * `^\s*at (?:(async )?(.+?) \(|async )?(FILE_START.*?)(?::(\d+))?(?::(\d+))?\)?\s*$`
 * backtracks in the third power of the line's length on hostile text. `indent` is the first character
 * that is not white space; the text holds no line terminator.
 */
export function readV8Frame(text: string, indent: number): JsFrameLine | null {
  if (!text.startsWith('at ', indent)) return null;
  const body = indent + 3;
  const isAsync = text.startsWith('async ', body);
  const nameMin = isAsync ? body + 6 : body;
  for (let open = text.indexOf(' (', nameMin + 1); open !== -1; open = text.indexOf(' (', open + 1)) {
    const end = fileStartEnd(text, open + 2);
    if (end !== -1) return withLocation(text, text.slice(nameMin, open), open + 2, end);
  }
  // A function named `async`: the word is then the name and no keyword.
  for (const open of isAsync ? [body + 5, body + 6] : []) {
    const end = text.startsWith(' (', open) ? fileStartEnd(text, open + 2) : -1;
    if (end !== -1) return withLocation(text, text.slice(body, open), open + 2, end);
  }
  for (const start of isAsync ? [body + 6, body] : [body]) {
    const end = fileStartEnd(text, start);
    if (end !== -1) return withLocation(text, '', start, end);
  }
  return null;
}

/**
 * Reads a frame of Firefox, Safari and older engines: `name@https://host/file.js:1:2`. Firefox writes what it waited for
 * in front: `promise callback*name@…`.
 */
export function readOtherFrame(text: string): JsFrameLine | null {
  if (!text.includes('@')) return null;
  const match = OTHER_FRAME.exec(text);
  if (match?.[2] === undefined) return null;
  const [, name = '', file, line, column] = match;
  return { function: name, file, line: positionNumber(line), column: positionNumber(column) };
}

function fileStartEnd(text: string, start: number): number {
  FILE_START.lastIndex = start;
  return FILE_START.test(text) ? FILE_START.lastIndex : -1;
}

/** The file is the shortest text from `fileStart`, past `fileMin`, that leaves `:1:2) ` or a part of it. */
function withLocation(text: string, name: string, fileStart: number, fileMin: number): JsFrameLine {
  const filled = text.trimEnd().length;
  const last = text.charCodeAt(filled - 1) === 0x29 ? filled - 1 : filled;
  const second = numberStart(text, last);
  const first = second === -1 ? -1 : numberStart(text, second);
  if (first >= fileMin) {
    const line = positionNumber(text.slice(first + 1, second));
    const column = positionNumber(text.slice(second + 1, last));
    return { function: name, file: text.slice(fileStart, first), line, column };
  }
  if (second >= fileMin) {
    const line = positionNumber(text.slice(second + 1, last));
    return { function: name, file: text.slice(fileStart, second), line, column: null };
  }
  const end = [last, filled].find((candidate) => candidate >= fileMin) ?? fileMin;
  return { function: name, file: text.slice(fileStart, end), line: null, column: null };
}

/** Index of the colon of `:123` that ends before `end`, or -1. */
function numberStart(text: string, end: number): number {
  let index = end;
  while (index > 0 && isDigit(text.charCodeAt(index - 1))) index--;
  return index < end && text.charCodeAt(index - 1) === 0x3a ? index - 1 : -1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
