import { forwardSlashes, modulePath, writtenFile } from '../file-path.ts';
import { readHeader, withoutLead, withoutLeadingBackslash } from './exception-header.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

/** The contract's pattern, its end `(?::\s*(.+))?\s*$` written so that only one part of it takes white space. */
const ENTRY = /^\s*#(\d+)\s+(?:(.+?)\((\d+)\)|\[internal function\]|\{main\})(?::\s*(.+)|\s*)$/;
/** Hold for every entry; without them `\s+(?:(.+?)` backtracks over long white space. */
const FILE_ENTRY_END = /\(\d+\)(?::.|\s*$)/;
const OTHER_ENTRY = /^\s*#\d+\s+(?:\[internal function\]|\{main\})(?::.|\s*$)/;
const HEADER = /^(?:Next )?((?:\\?[A-Za-z_]\w*\\)*[A-Za-z_]\w*)(?:: (.*))?$/s;
const NEXT_BLOCK = /^Next ((?:\\?[A-Za-z_]\w*\\)*[A-Za-z_]\w*(?::(?: .*)?)?)$/;
const PATH = /^(?:\/|[A-Za-z]:[\\/]|[a-z]{2,8}:\/\/|\\\\)/;
const IN = ' in ';
/** A message has the word before its place at most this many times. */
const INS_MAX = 40;
/** The place of the call, which PHP adds to the message where an argument has another type than is declared. */
const CALLED_IN = /, called in [^\n]{1,400} on line \d{1,9} and defined$/;

/** PHP traces, with or without the exception's own line (contract incidents 5.4.6, row php). */
export function readPhpStack(lines: readonly StackLine[]): LanguageStack {
  const found = new Map<number, Found>();
  lines.forEach((line, index) => {
    const match = readEntry(line) ?? readHeaderLine(line);
    if (match !== null) found.set(index, match);
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

interface Place {
  file: string;
  line: number | null;
}

type Found =
  | { kind: 'entry'; place: Place | null; isMain: boolean; call: string | null }
  | { kind: 'header'; type: string; message: string; place: Place };

function readEntry({ text, indent }: StackLine): Found | null {
  if (text.charCodeAt(indent) !== 0x23) return null;
  if (!FILE_ENTRY_END.test(text) && !OTHER_ENTRY.test(text)) return null;
  const match = ENTRY.exec(text);
  if (match === null) return null;
  const [, , file, line, call] = match;
  const place = file === undefined ? null : { file, line: positionNumber(line) };
  const isMain = place === null && call === undefined && text.includes('{main}');
  return { kind: 'entry', place, isMain, call: call ?? null };
}

function readHeaderLine({ text }: StackLine): Found | null {
  const end = readEnd(text);
  const match = end === null ? null : HEADER.exec(withoutLead(end.before));
  if (end === null || match?.[1] === undefined) return null;
  return {
    kind: 'header',
    type: withoutLeadingBackslash(match[1]),
    message: match[2] ?? '',
    place: end.place,
  };
}

/** The place with which a text ends, ` in /srv/cart.php:42`, and the text before it; a message may have the word too. */
function readEnd(text: string): { before: string; place: Place } | null {
  const number = /:\d+$/.exec(text);
  if (number === null) return null;
  let at = text.lastIndexOf(IN, number.index);
  for (let count = 0; at > 0 && count < INS_MAX && !PATH.test(text.slice(at + IN.length, at + 16)); count++) {
    at = text.lastIndexOf(IN, at - 1);
  }
  if (at <= 0 || !PATH.test(text.slice(at + IN.length, at + 16))) at = text.indexOf(IN);
  const file = text.slice(at + IN.length, number.index);
  if (at === -1 || file === '') return null;
  const place = { file, line: positionNumber(number[0].slice(1)) };
  return { before: text.slice(0, at).replace(CALLED_IN, ''), place };
}

interface Block {
  type: string;
  message: string;
  frames: ParsedFrame[];
  /** The place where the next entry's function is defined: the place of the entry before it, or of the header. */
  definition: Place | null;
  hasEntries: boolean;
}

/** Blocks joined by `Next`; the last one is the outermost. */
function readChain(lines: readonly StackLine[], found: ReadonlyMap<number, Found>): ParsedException[] {
  const definition = placeBelow(lines);
  let block: Block = { type: '', message: '', frames: [], definition, hasEntries: false };
  const blocks = [block];
  lines.forEach(({ text }, index) => {
    const match = found.get(index);
    if (match?.kind === 'entry') {
      const frame = toFrame(match, block.definition);
      if (frame !== null) block.frames.push(frame);
      block.definition = match.place;
      block.hasEntries = true;
      return;
    }
    const next = startsNextBlock(text, match);
    if (next !== null) {
      block = next;
      blocks.push(block);
    } else if (!block.hasEntries) {
      readHead(block, text, match, index === 0);
    }
  });
  return blocks.reverse().map(({ type, message, frames }) => ({ type, message, frames }));
}

const LINES_BELOW_MAX = 3;

/** The place below the frames of a fatal error, `thrown in /srv/cart.php on line 12`; the header, if there is one, wins. */
function placeBelow(lines: readonly StackLine[]): Place | null {
  for (const { text } of lines.slice(-LINES_BELOW_MAX)) {
    const [, file, line] = /^\s{0,8}thrown in (\S.{0,300}) on line (\d{1,9})\s{0,8}$/.exec(text) ?? [];
    if (file !== undefined) return { file, line: positionNumber(line) };
  }
  return null;
}

function startsNextBlock(text: string, match: Found | undefined): Block | null {
  if (!text.startsWith('Next ')) return null;
  if (match?.kind === 'header') {
    const { type, message, place } = match;
    return { type, message, frames: [], definition: place, hasEntries: false };
  }
  const open = NEXT_BLOCK.exec(text);
  if (open?.[1] === undefined) return null;
  return { ...readHeader(open[1]), frames: [], definition: null, hasEntries: false };
}

/** The head of a block. A message of several lines carries the place on its last line. */
function readHead(block: Block, text: string, match: Found | undefined, isFirstLine: boolean): void {
  if (match?.kind === 'header' && block.type === '') {
    Object.assign(block, { type: match.type, message: match.message, definition: match.place });
    return;
  }
  if (isFirstLine) Object.assign(block, readHeader(text));
  const end = readEnd(text);
  if (end !== null) block.definition = end.place;
}

function toFrame(entry: Extract<Found, { kind: 'entry' }>, definition: Place | null): ParsedFrame | null {
  const call = entry.isMain ? { owner: null, method: '<main>' } : readCall(entry.call);
  return call === null ? null : phpFrame(call, definition);
}

/** A frame by the name rules of PHP. */
export function phpFrame(
  call: { owner: string | null; method: string },
  definition: { file: string; line: number | null } | null,
): ParsedFrame {
  const file = definition?.file ?? null;
  return {
    module: call.owner ?? (file === null ? '' : modulePath(file)),
    function: call.method,
    file: file === null ? null : writtenFile(file),
    line: definition?.line ?? null,
    column: null,
    inApp: call.owner === null && file === null ? isOwnFunction(call.method) : isInApp(call.owner, file),
  };
}

/** `App\Cart->total(Array)`, `App\Cart::load()`, `array_map(...)`, `App\{closure}()`. */
function readCall(call: string | null): { owner: string | null; method: string } | null {
  if (call === null) return null;
  const head = call.slice(0, argumentsStart(call)).trim();
  if (head === '') return null;
  const split = /->|::/.exec(head.replace(/\{.*$/, ''));
  const owner = split === null ? null : className(head.slice(0, split.index));
  const method = split === null ? withoutLeadingBackslash(head) : head.slice(split.index + 2);
  if (method === '') return null;
  return { owner, method: method.includes('{closure') ? '<anonymous>' : method };
}

/** The parenthesis that opens the arguments: a closure's name may hold others inside braces. */
function argumentsStart(call: string): number {
  const brace = call.indexOf('{closure');
  const first = call.indexOf('(');
  const from = brace !== -1 && brace < first ? call.indexOf('}', brace) : 0;
  const open = call.indexOf('(', Math.max(from, 0));
  return open === -1 ? call.length : open;
}

/** The rest of an anonymous class's name is a file and a line. */
function className(written: string): string {
  const name = withoutLeadingBackslash(written);
  const anonymous = name.indexOf('@anonymous');
  return anonymous === -1 ? name : name.slice(0, anonymous + '@anonymous'.length);
}

const LIBRARY_PREFIX =
  /^(?:Illuminate|Symfony|Laravel|Doctrine|GuzzleHttp|Monolog|Psr|Composer|PHPUnit|Twig|Slim|Zend|Laminas|yii|Cake|Pest|League|Ramsey|Carbon|Livewire|Filament|Spatie)\\/;
const BUILT_IN =
  /^(?:PDO|PDOStatement|mysqli\w*|Redis\w*|Memcached|Date\w*|Soap\w*|Reflection\w*|Spl\w*|Array\w*|Closure|Generator|SimpleXML\w*|DOM\w*|XML\w*|Imagick\w*|Intl\w*|NumberFormatter|Zip\w*|Phar\w*|Curl\w*|Iterator\w*|Json\w*)$/;
const VENDOR_DIRECTORY = /(?:^|\/)vendor\//;

/** Functions and words of PHP itself. */
const BUILT_IN_FUNCTION =
  /^(?:require|include|eval|call_user_func|func_get|array_|str|mb_|preg_|json_|iterator_|date|file|f(?:open|read|write|close|gets|scanf|putcsv|getcsv|sockopen)|is_|in_array|[aku]r?sort|u[ak]?sort|count|implode|explode|join|trim|[lr]trim|sprintf|[vf]?printf|number_format|(?:un)?serialize|simplexml_|xml|dom_|mysqli?_|pg_|sqlite_|oci_|odbc_|ldap_|curl_|ftp_|imap_|image|openssl_|sodium_|hash|md5|sha1|crc32|base64_|gz|zlib_|iconv|intl_|collator_|bc(?:add|sub|mul|div|mod|pow)|intdiv|random_|(?:mt_)?rand|max|min|range|compact|extract|constant|define|class_|method_|property_|get_|spl_|ob_|session_|set|header|htmlspecialchars|html_entity|url|raw_?url|http_build|parse_|mail|exec|shell_exec|system|proc_|posix_|pcntl_|socket_|stream_|unlink|rename|mkdir|rmdir|copy|tempnam|move_uploaded|chmod|glob|scandir|opendir|readdir|trigger_error|user_error|assert|usleep|sleep|checkdate|mktime|strtotime|array|end|reset|key|current|next|each|list)(?:_once|_array)?(?=$|_)|^(?:array_|str|mb_|preg_|json_|is_|file|date|image|hash|get_|set|url|gz|curl_)\w{0,60}$/;

/** A function whose place the trace does not say, because the exception's own line is missing. */
function isOwnFunction(name: string): boolean {
  return name !== '<main>' && !BUILT_IN_FUNCTION.test(name);
}

function isInApp(owner: string | null, file: string | null): boolean {
  if (owner !== null && (LIBRARY_PREFIX.test(owner) || BUILT_IN.test(owner))) return false;
  return file === null || !(VENDOR_DIRECTORY.test(forwardSlashes(file)) || isVendorPath(file));
}
