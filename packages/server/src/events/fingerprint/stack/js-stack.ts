import { isServedFile, modulePath, writtenFile } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import { type JsFrameLine, readOtherFrame, readV8Frame } from './js-frame-line.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

/** JavaScript stacks of V8 and of the other engines (contract incidents 5.4.6, row js). */
export function readJsStack(lines: readonly StackLine[]): LanguageStack {
  const found = new Map<number, FrameLine>();
  lines.forEach((line, index) => {
    const frame = readFrameLine(line);
    if (frame !== null) found.set(index, frame);
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

/** A frame line, and what it means once somebody asked. */
interface FrameLine {
  read: JsFrameLine;
  frame: ParsedFrame | null;
}

/** Lines of one generation, and how long they may be: the same few frames stand in most stacks of a service. */
const REMEMBERED_MAX = 16_384;
const REMEMBERED_CHARS_MAX = 256;
let young = new Map<string, FrameLine>();
let old = new Map<string, FrameLine>();

function readFrameLine({ text, indent }: StackLine): FrameLine | null {
  const recent = young.get(text);
  if (recent !== undefined) return recent;
  if (text.length > REMEMBERED_CHARS_MAX) return parseFrameLine(text, indent);
  const known = old.get(text);
  if (known === undefined && parseFrameLine(text, indent) === null) return null;
  // A copy, because a part of a stack's text would keep the whole text alive.
  const own = Buffer.from(text, 'utf16le').toString('utf16le');
  const line = known ?? parseFrameLine(own, indent);
  if (line === null) return null;
  if (young.size >= REMEMBERED_MAX) {
    old = young;
    young = new Map();
  }
  young.set(own, line);
  return line;
}

function parseFrameLine(text: string, indent: number): FrameLine | null {
  const line = withoutOpenBrace(text);
  const read = readV8Frame(line, indent) ?? readOtherFrame(line);
  return read === null ? null : { read, frame: null };
}

/** Node.js ends the last frame with ` {` when the error has properties or a cause. */
function withoutOpenBrace(text: string): string {
  if (!text.includes('{')) return text;
  const filled = text.trimEnd();
  return filled.endsWith(' {') ? filled.slice(0, -2) : text;
}

const CAUSE_MARKERS = ['[cause]: ', 'Caused by: '];

function readChain(lines: readonly StackLine[], found: ReadonlyMap<number, FrameLine>): ParsedException[] {
  const head = found.has(0) ? '' : withoutOpenBrace(lines[0]?.text ?? '');
  let current: ParsedException = { ...readHeader(head), frames: [] };
  const chain = [current];
  lines.forEach(({ text, indent }, index) => {
    const line = found.get(index);
    if (line !== undefined) {
      line.frame ??= toFrame(line.read);
      current.frames.push(line.frame);
      return;
    }
    const marker = CAUSE_MARKERS.find((word) => text.startsWith(word, indent));
    if (marker === undefined) return;
    current = { ...readHeader(withoutOpenBrace(text.slice(indent + marker.length))), frames: [] };
    chain.push(current);
  });
  return chain;
}

function toFrame(found: JsFrameLine): ParsedFrame {
  const { file, line, column } = found.file.startsWith('eval at ') ? evalOrigin(found) : found;
  return {
    module: modulePath(file),
    function: functionName(found.function, file),
    file: writtenFile(file),
    line,
    column,
    inApp: isInApp(file),
  };
}

/** `eval at run (https://host/a.js:1:2), <anonymous>`: the file inside is where the code came from. */
function evalOrigin(found: JsFrameLine): Pick<JsFrameLine, 'file' | 'line' | 'column'> {
  const inside = found.file.slice(found.file.lastIndexOf(' (') + 2);
  const located = /^(.*?):(\d+)(?::(\d+))?\)/.exec(inside);
  if (located?.[1] !== undefined) {
    return { file: located[1], line: positionNumber(located[2]), column: positionNumber(located[3]) };
  }
  const close = inside.indexOf(')');
  return { file: close === -1 ? inside : inside.slice(0, close), line: null, column: null };
}

const OWNER_PREFIX = /^(?:Object|Function|Module|Proxy|exports|process|window|global|globalThis)\./;
const MINIFIED_NAME_CHARS_MAX = 2;

function functionName(written: string, file: string): string {
  const name = written
    .replace(/^async /, '')
    .replace(/^new /, '')
    .replace(/ \[as [^\]]*\]$/, '')
    .replace(OWNER_PREFIX, '');
  const last = name.slice(1 + Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')));
  if (name === '' || name === 'anonymous' || name === 'eval' || last.startsWith('<')) return '<anonymous>';
  if (last.length <= MINIFIED_NAME_CHARS_MAX && last !== '' && isServedFile(file)) return '<min>';
  return name;
}

const EXTENSION_URL = /^[a-z-]*extension:\/\//i;
const LIBRARY_BUNDLE = /^(?:vendors?|polyfills?|runtime|framework|react-dom|jquery)(?![a-z])/i;

function isInApp(file: string): boolean {
  if (file.startsWith('node:') || file.startsWith('internal/') || file.startsWith('<anonymous>'))
    return false;
  if (/^native(?:\s|$)/.test(file) || EXTENSION_URL.test(file) || isVendorPath(file)) return false;
  if (!isServedFile(file)) return true;
  const path = writtenFile(file);
  return !LIBRARY_BUNDLE.test(path.slice(path.lastIndexOf('/') + 1));
}
