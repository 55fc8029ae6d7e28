import { isPageFile, modulePath, writtenFile } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import { readMoreJs } from './forms/js-forms.ts';
import { type JsFrameLine, readOtherFrame, readV8Frame } from './js-frame-line.ts';
import { isJsGroup, readJsGroup } from './js-group.ts';
import { rememberingLines } from './line-memory.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

/** JavaScript stacks of all engines, with the members of groups apart (docs/contract/incidents.md 5.4.6, row js). */
export function readJsStack(lines: readonly StackLine[]): LanguageStack {
  const readLine = (line: StackLine) => {
    const known = readFrameLine(line);
    if (known !== null) return known;
    const read = readMoreJs(withoutOpenBrace(line.text));
    return read === null ? null : { read, frame: null };
  };
  const whole = readLines(lines, readLine);
  if (!isJsGroup(lines)) return whole;
  const readChain = () => readJsGroup(lines, (part) => readLines(part, readLine).readChain());
  return { frameLineCount: whole.frameLineCount, readChain };
}

function readLines(
  lines: readonly StackLine[],
  readLine: (line: StackLine) => FrameLine | null,
): LanguageStack {
  const found = new Map<number, FrameLine>();
  lines.forEach((line, index) => {
    const frame = readLine(line);
    if (frame !== null) found.set(index, frame);
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

/** A frame line, and its meaning when it was requested. */
interface FrameLine {
  read: JsFrameLine;
  frame: ParsedFrame | null;
}

function readFrameLine({ text, indent }: StackLine): FrameLine | null {
  return text.startsWith('at ', indent) || text.includes('@') ? parsedFrameLine(text, indent) : null;
}

const parsedFrameLine = rememberingLines(parseFrameLine);

function parseFrameLine(text: string, indent: number): FrameLine | null {
  const read = readWasmFrame(text, indent) ?? readEngineFrame(withoutFlags(withoutOpenBrace(text)), indent);
  return read === null || isCall(read) ? null : { read, frame: null };
}

function readEngineFrame(line: string, indent: number): JsFrameLine | null {
  return readV8Frame(line, indent) ?? readOtherFrame(line);
}

/** The number of a function of WebAssembly and its offset: both change with each build. */
const IN_WASM = /:wasm-function\[\d{1,9}\](?::0x[0-9a-f]{1,16})?(?=\)?\s*$)/;

/** Older V8 names the number alone, Safari the function in brackets: `<?>.wasm-function[total]@[wasm code]`. */
const NAMED_ALONE = /^\s*at ([^\s()]{1,300}) \(wasm-function\[\d{1,9}\](?::(?:0x)?[0-9a-f]{1,16})?\)\s*$/;
const OF_SAFARI = /^\s*[^\s[\]@]{0,200}wasm-function\[([^\]]{1,300})\]@\[wasm code\]\s*$/;
const WASM_FILE = '<wasm>';

/** `total@https://host/cart.wasm:wasm-function[31]:0x9f1a`, and the same of V8. */
function readWasmFrame(text: string, indent: number): JsFrameLine | null {
  if (!text.includes('wasm-function[')) return null;
  const named = (NAMED_ALONE.exec(text) ?? OF_SAFARI.exec(text))?.[1];
  if (named !== undefined) {
    return { function: /^\d+$/.test(named) ? '' : named, file: WASM_FILE, line: null, column: null };
  }
  const read = readEngineFrame(text.replace(IN_WASM, ':0'), indent);
  return read === null ? null : { ...read, line: null, column: null };
}

/** `java.base/java.lang.Thread.run(Thread.java:834)`: a call of another runtime, and no file. */
function isCall({ function: name, file }: JsFrameLine): boolean {
  return name === '' && /[\w$>]\([^()]*$/.test(file);
}

/** The words that Duktape writes after the place of a call. */
const FLAGS_OF_CALL = [' preventsyield', ' construct', ' tailcall', ' strict'];

function withoutFlags(text: string): string {
  const flag = FLAGS_OF_CALL.find((each) => text.endsWith(each));
  return flag === undefined ? text : withoutFlags(text.slice(0, -flag.length));
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
      line.frame ??= jsFrame(line.read);
      current.frames.push(line.frame);
      return;
    }
    const marker = CAUSE_MARKERS.find((word) => text.startsWith(word, indent));
    if (marker === undefined) return;
    current = { ...readHeader(withoutOpenBrace(text.slice(indent + marker.length))), frames: [] };
    chain.push(current);
  });
  const written = placeAbove(lines);
  const [outermost] = chain;
  // An error of a module that could not be loaded has frames of the loader alone.
  if (written !== null && outermost !== undefined && !outermost.frames.some(({ inApp }) => inApp)) {
    outermost.frames.unshift(jsFrame({ function: '', ...written, column: null }));
  }
  return chain;
}

/** The lines that Node.js prints above an error that ended it: the place, its line, and marks below it. */
const PLACE_LINE = /^((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])\S{1,500}):(\d{1,9})$/;
const MARKS_BELOW = /^\s*\^{1,200}\s*$/;
const LINES_ABOVE_MAX = 5;

function placeAbove(lines: readonly StackLine[]): { file: string; line: number | null } | null {
  const match = PLACE_LINE.exec(lines[0]?.text ?? '');
  if (
    match?.[1] === undefined ||
    !lines.slice(1, LINES_ABOVE_MAX).some(({ text }) => MARKS_BELOW.test(text))
  ) {
    return null;
  }
  return { file: match[1], line: positionNumber(match[2]) };
}

/** A frame by the name rules of JavaScript. */
export function jsFrame(found: JsFrameLine): ParsedFrame {
  const { file, line, column } = originOf(found);
  return {
    ...(isPageFile(file) ? { isServed: true as const } : {}),
    ...(found.isOffset === undefined ? {} : { isOffset: true as const }),
    module: modulePath(file),
    function: functionName(found.function, file),
    file: writtenFile(file),
    address: file,
    line,
    column,
    inApp: isInApp(file),
  };
}

/** Evaluated code is where it was evaluated. */
function originOf(written: JsFrameLine): Pick<JsFrameLine, 'file' | 'line' | 'column'> {
  const found = OF_REACT.test(written.file)
    ? { ...written, file: written.file.replace(OF_REACT, '') }
    : written;
  // Chromium numbers the scripts of a page: `VM12 cart.js`, and `VM12` alone for text that was evaluated.
  if (found.file.startsWith('VM')) {
    return { ...found, file: found.file.replace(SCRIPT_NUMBER, '') || '<anonymous>' };
  }
  if (found.file.startsWith('eval at ')) return evalOrigin(found);
  // Loaders of webpack in front of the module: `webpack-internal:///./node_modules/vue-loader/index.js!./src/Cart.vue`.
  const loaders = found.file.startsWith('webpack') ? found.file.lastIndexOf('!') : -1;
  if (loaders !== -1) return { ...found, file: `webpack-internal:///${found.file.slice(loaders + 1)}` };
  // A module inside its address: what is behind its type is the code.
  if (found.file.startsWith('data:')) return { ...found, file: found.file.replace(/[;,].*$/s, '') };
  // Firefox: `https://host/a.js line 5 > eval`, without the column of the call.
  const [, file, line] = EVALUATED.exec(found.file) ?? [];
  return file === undefined ? found : { file, line: positionNumber(line), column: null };
}

/** React writes this in front of a file of the server, in the page: `about://React/Server/file:///srv/…`. */
const OF_REACT = /^(?:about|rsc):\/\/React\/[A-Za-z]{1,20}\/(?=.)/;
const SCRIPT_NUMBER = /^VM\d{1,9}(?: |$)/;
const EVALUATED = /^([^>]{1,600}?) line (\d{1,9}) > (?:eval|Function|injectedScript)\b/;

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
  if (last.length <= MINIFIED_NAME_CHARS_MAX && last !== '' && isPageFile(file)) return '<min>';
  return name;
}

/** Extensions of browsers, and what Safari shows in their place. */
const EXTENSION_URL = /^(?:[a-z-]*extension|webkit-masked-url|chrome|resource|moz-[a-z]+|user-?script):\/\//i;
const LIBRARY_BUNDLE =
  /^(?:vendors?|polyfills?|runtime|framework|react-dom|jquery|dart_(?:sdk|library)|ddc_module_loader)(?![a-z])/i;

/** The code that hosts of functions run around an application, and that with which bundlers load its modules. */
const RUNTIME_OF_HOST =
  /^(?:file:\/\/)?\/(?:var\/runtime|azure-functions-host|opt\/rust|opt\/nodejs\/node_modules|var\/task\/___(?:vc|netlify)[^/]{0,40})(?:\/|$)|[\\/]SiteExtensions[\\/]Functions[\\/]|\/(?:webpack(?:-api)?-runtime|edge-runtime-webpack|\[turbopack\]_runtime)(?:-[\w-]{1,40})?\.js$|(?:^|\/)InternalBytecode\.js$/;

/** The whole application, which Metro serves below the name of its first module: `node_modules/expo/AppEntry.bundle`. */
const METRO_BUNDLE = /:\/\/[^?#]{1,300}\/\w{1,40}\.bundle(?:[?/]|$)/;

/** The runtime of Deno, and the registries from which it loads libraries by their address. */
const OF_DENO = /^(?:\$deno\$\/|deno:|ext:|rt[\\/]\d\d_|https:\/\/(?:jsr\.io|esm\.sh|deno\.land\/std)[/@])/;

function isInApp(file: string): boolean {
  if (OF_DENO.test(file)) return false;
  if (file.startsWith('node:') || file.startsWith('internal/') || file.startsWith('<anonymous>'))
    return false;
  if (/^native(?:\s|$)/.test(file) || EXTENSION_URL.test(file)) return false;
  if (isVendorPath(file) && !METRO_BUNDLE.test(file)) return false;
  if (!isPageFile(file)) return !RUNTIME_OF_HOST.test(file);
  const path = writtenFile(file);
  return !LIBRARY_BUNDLE.test(path.slice(path.lastIndexOf('/') + 1));
}
