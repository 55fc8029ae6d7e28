import { forwardSlashes, modulePath, writtenFile } from '../file-path.ts';
import { readCallLines } from './call-lines.ts';
import { readHeader } from './exception-header.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

/**
 * Reads traces of runtimes that no other reader knows: a line with something that is a place in code is a frame, and the
 * name beside the place is its function (docs/contract/grouping.md 4). Comes behind all other readers.
 */
export function readGeneralStack(all: readonly StackLine[]): LanguageStack {
  const lines = all
    .slice(0, LINES_MAX)
    .map(({ text, indent }) => ({ text: text.slice(0, LINE_CHARS_MAX), indent }));
  let found = new Map<number, ParsedFrame[]>();
  lines.forEach(({ text }, index) => {
    if (!HAS_DIGIT.test(text) && !PLACE_ABOVE_ITS_LINE.test(text)) return;
    const frames = termFrames(text) ?? cellFrames(lines, index) ?? generalFrame(text, index === 0);
    const [only] = frames;
    // The name on one line, its place on the next.
    if (only?.function === '<anonymous>' && PLACE_ALONE.test(text) && !found.has(index - 1)) {
      only.function = NAME_ABOVE.exec(lines[index - 1]?.text ?? '')?.[1] ?? only.function;
    }
    if (frames.length > 0) found.set(index, frames);
  });
  dropHeader(found);
  if (found.size === 0) found = readCallLines(lines);
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

const PLACE_ALONE = /^\s*(?:at |@ ?|-->? ?)?\S{1,300}$/;
const NAME_ABOVE = /(?: in |^\s*#?\d{1,4}:? {1,4})([\p{L}_$][^\s()]{0,200})(?:\([^()]{0,200}\))?$/u;

/** The line above the frames that says what failed also says where; the frame of that place follows. */
function dropHeader(found: Map<number, ParsedFrame[]>): void {
  const [first, ...rest] = found;
  const [header] = first?.[1] ?? [];
  if (first === undefined || header === undefined || header.line === null) return;
  const isRepeated = rest.some(([, frames]) =>
    frames.some(({ file, line }) => line === header.line && fileName(file) === fileName(header.file)),
  );
  if (isRepeated) found.delete(first[0]);
}

function fileName(file: string | null): string {
  return (
    forwardSlashes(file ?? '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** The first frames make the key; a line of code is shorter. */
const LINES_MAX = 150;
const LINE_CHARS_MAX = 400;

function readChain(
  lines: readonly StackLine[],
  found: ReadonlyMap<number, ParsedFrame[]>,
): ParsedException[] {
  const frames = [...found.values()].flat();
  const headers = lines.flatMap(({ text }, index) =>
    found.has(index) || text.trim() === '' ? [] : [{ text, index }],
  );
  const firstFrame = Math.min(...found.keys());
  const above = headers.filter(({ index }) => index < firstFrame);
  const typed = [...above, ...headers].find(({ text }) => NAMED_AS_ERROR.test(readHeader(text).type));
  const header = readHeader(typed?.text ?? above[0]?.text ?? '');
  const isOldestFirst =
    lines.some(({ text }) => NEWEST_LAST.test(text)) || (typed !== undefined && typed.index > firstFrame);
  return [{ ...header, frames: isOldestFirst ? frames.reverse() : frames }];
}

const NAMED_AS_ERROR = /(?:Error|Exception|Fault|Failure|Panic|Warning|Interrupt|Exit)$|\w(?:\.|::)\w/;
const NEWEST_LAST = /most recent call last/i;

/** A place in code within a line, and what stands before and behind it. */
interface Place {
  file: string;
  line: string | undefined;
  column: string | undefined;
  before: string;
  after: string;
}

function generalFrame(text: string, isFirst: boolean): ParsedFrame[] {
  if (isFirst && isHeader(text)) return [];
  const place = quotedPlace(text) ?? writtenPlace(text);
  if (place === null) return [offsetFrame(text) ?? lineFrame(text)].flatMap((frame) => frame ?? []);
  const before = place.before.replace(ADDRESS, ' ');
  const after = place.after.replace(ADDRESS, ' ');
  return [placedFrame(place, BRACKETED.exec(after)?.[1] ?? nameBefore(before) ?? nameBehind(after))];
}

/** The column of an address, which is no name. */
const ADDRESS = /(?<![\w.])(?:0x|\$)[0-9a-f]{4,16}(?!\w)/gi;
/** Alone behind the place: `rules.js:12 (clean)`. */
const BRACKETED = /^[\s:]{0,3}\(([\p{L}_$][\p{L}\p{N}_.$:#-]{0,200})\):?\s*$/u;

/** Names the error, and says more than a line. */
function isHeader(text: string): boolean {
  const { type, message } = readHeader(text);
  return NAMED_AS_ERROR.test(type) && !/^line \d/.test(message);
}

/** Paths of games and of resources, whose scheme has no host. */
const RESOURCE = /^(?:res|user|qrc|asset|game|source|bundle|cell):\/{2,3}/;

function placedFrame(
  { file, line, column }: Pick<Place, 'file' | 'line' | 'column'>,
  name: string | null,
): ParsedFrame {
  const path = file.replace(RESOURCE, '');
  return {
    module: modulePath(path),
    function: name ?? '<anonymous>',
    file: writtenFile(path),
    line: positionNumber(line),
    column: positionNumber(column),
    inApp: isOwnFile(path) && !STANDARD_NAME.test(name ?? ''),
  };
}

/** Erlang writes a whole stack as one term. */
const TERM =
  /\{'?([\w@.]{1,100})'?,\s?'?([\w@?!-]{1,200}?\/?\d{0,3}[\w-]{0,40})'?,\s?(?:\d{1,3}|\[[^\]]{0,200}\]),\s?\[\{file,\s?"([^"]{1,300})"\},\s?\{line,\s?(\d{1,9})\}/g;

function termFrames(text: string): ParsedFrame[] | null {
  if (!text.includes('{file,')) return null;
  const frames = [...text.matchAll(TERM)].map(([, , name = '', file = '', line]) =>
    placedFrame({ file, line, column: undefined }, name),
  );
  return frames.length === 0 ? null : frames;
}

/** IPython before version 8 names file and function, and marks the line below: `----> 42     total(5)`. */
const PLACE_ABOVE_ITS_LINE = /^(?:File )?([^\s:]{1,300}|<[^>]{1,100}>) in ([\w<>.]{1,200})(?:\(|$)/;
const MARKED_LINE = /^\s{0,4}-{1,6}>\s{1,6}(\d{1,9})(?:\s|$)/;
const CELL = /^\s*Cell In ?\[\d{0,9}\], line (\d{1,9})/;
const LINES_OF_SOURCE_MAX = 12;

function cellFrames(lines: readonly StackLine[], index: number): ParsedFrame[] | null {
  const text = lines[index]?.text ?? '';
  if (MARKED_LINE.test(text)) return [];
  const cell = CELL.exec(text);
  if (cell !== null) return [placedFrame({ file: '<cell>', line: cell[1], column: undefined }, '<module>')];
  const above = PLACE_ABOVE_ITS_LINE.exec(text);
  if (above === null) return null;
  const marked = lines
    .slice(index + 1, index + 1 + LINES_OF_SOURCE_MAX)
    .flatMap((line) => MARKED_LINE.exec(line.text)?.[1] ?? [])[0];
  if (marked === undefined) return null;
  return [placedFrame({ file: above[1] ?? '', line: marked, column: undefined }, above[2] ?? null)];
}

/** A line without a file: `PL/pgSQL function total(integer) line 12`, `Error in total (line 42)`. */
function lineFrame(text: string): ParsedFrame | null {
  const match = LINE_ELSEWHERE.exec(text);
  if (match === null) return null;
  const quoted = /["'`]([\p{L}_][\p{L}\p{N}_.$:#-]{0,200})["'`],?\s{0,2}$/u.exec(
    text.slice(0, match.index),
  )?.[1];
  const name = quoted ?? nameBefore(text.slice(0, match.index));
  if (name === null) return null;
  return {
    module: '',
    function: name,
    file: null,
    line: positionNumber(match[1]),
    column: null,
    inApp: true,
  };
}

const HAS_DIGIT = /\d/;
const SYSTEM_FILE =
  /^(?:\/usr\/(?!src\/|local\/(?:app|src))|\/lib\d*\/|\/System\/|\/nix\/store\/|\/opt\/homebrew\/|[A-Za-z]:[\\/](?:Windows|Program Files))|(?:^|[\\/])\.(?:choosenim|nimble|opam|cabal|stack|ghcup|rustup|cargo|asdf|sdkman|m2|gradle|pub-cache|julia|luarocks|hex|nuget)[\\/]|(?:^|[\\/])(?:lib\/(?:python|ruby|lua|ocaml|erlang|tcl)\w*[\d.]*|std|stdlib|core|runtime|vlib)[\\/]/i;

/** Modules of standard libraries, as a function's name begins with them. */
const STANDARD_NAME = /^(?:Stdlib|Camlinternal\w{1,20}|std|core|alloc)(?:__\w{1,40})?(?:\.|::)/;

function isOwnFile(file: string): boolean {
  const path = forwardSlashes(file);
  return !isVendorPath(path) && !SYSTEM_FILE.test(path) && !/^(?:<|\[|builtin|native|internal)/.test(path);
}

/** `File "cart.ml", line 12, characters 3-9`, `„cart.py“, Zeile 12`, `(file "cart.tcl" line 12)`. */
const QUOTED =
  /["'“„«]([^"'“”„«»\n]{1,300})["'”“»],?\s{0,3}(?:[:(]\s?)?(\p{L}{1,16}\.?\s{1,3})?(\d{1,9})(?:[:,.](\d{1,9}))?(?!\w)/gu;

function quotedPlace(text: string): Place | null {
  if (!/["'“„«]/.test(text)) return null;
  for (const match of text.matchAll(QUOTED)) {
    const [whole, file = '', word, line, column] = match;
    if (!isFileName(file) && !(word !== undefined && isPlaced(file)) && !/^<.{1,60}>$/.test(file)) continue;
    const { index } = match;
    return { file, line, column, before: text.slice(0, index), after: text.slice(index + whole.length) };
  }
  return null;
}

const TOKEN = /[^\s"'`“”„«»]+/g;
/** A file with its line behind a colon or in brackets. */
const FILE_AND_LINE =
  /^(.{1,300}?)(:|\(|\[)(\d{1,9})(?:[:,.-](\d{1,9}))?(?:-\d{1,9})?[)\]]{0,2}[:,.;)\]]{0,3}$/;
/** `Cart.cs:Zeile` with its number in the next word. */
const FILE_AND_WORD = /^(.{1,300}):[\p{L}\p{M}]{1,16}\.?$/u;
const WORD_AND_NUMBER = /^[\p{L}\p{M}]{1,16}(\d{1,9})$/u;
const NUMBER = /^(\d{1,9})[:,.;)\]]{0,3}$/;
const WORD = /^[\p{L}\p{M}]{1,16}[.:]?$/u;

function writtenPlace(text: string): Place | null {
  const tokens = [...text.matchAll(TOKEN)].map((match) => ({ text: match[0], at: match.index }));
  const numberElsewhere = LINE_ELSEWHERE.exec(text)?.[1];
  let apart: Place | null = null;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const place = tokenPlace(token.text, tokens[index + 1]?.text ?? '', tokens[index + 2]?.text ?? '', text);
    if (place === null) continue;
    const last = tokens[index + place.tokens - 1] ?? token;
    const around = {
      file: place.file,
      column: place.column,
      before: text.slice(0, token.at) + place.lead,
      after: text.slice(last.at + last.text.length),
    };
    if (place.line !== undefined) return { ...around, line: place.line };
    apart ??= numberElsewhere === undefined ? null : { ...around, line: numberElsewhere };
  }
  return apart;
}

interface TokenPlace {
  file: string;
  /** Undefined where no number stands beside the file. */
  line: string | undefined;
  column: string | undefined;
  /** What the token holds in front of the file: `total(` of `total(cart.x:12)`. */
  lead: string;
  /** How many tokens the place takes. */
  tokens: number;
}

function tokenPlace(token: string, next: string, afterNext: string, text: string): TokenPlace | null {
  const match = FILE_AND_LINE.exec(token);
  if (match !== null) {
    const [, written = '', separator, line, column] = match;
    const { lead, file } = splitLead(written);
    // A name alone, as scripts have one, counts inside brackets.
    const isCall = /[(@]/.test(lead) || (column !== undefined && /^\s*at \S+$/.test(text.trimEnd()));
    const isBare = (column !== undefined || lead.endsWith('(')) && isCall && BARE_NAME.test(file);
    // `Shop.Cart.Total(5)` is a call.
    const isPlace = separator === ':' ? isPlaced(file) : isFileName(file);
    if (isPlace || isBare) return { file, line, column, lead, tokens: 1 };
  }
  const { lead, file } = splitLead(token.replace(/[:,;)\]]{1,3}$/, ''));
  const hasColon = file.includes(':');
  const worded = hasColon ? FILE_AND_WORD.exec(file)?.[1] : undefined;
  const number = NUMBER.exec(next)?.[1];
  if (worded !== undefined && isPlaced(worded)) {
    if (number !== undefined) return { file: worded, line: number, column: undefined, lead, tokens: 2 };
  }
  const glued = hasColon ? GLUED_WORD.exec(file) : null;
  if (glued?.[1] !== undefined && isPlaced(glued[1])) {
    return { file: glued[1], line: glued[2], column: undefined, lead, tokens: 1 };
  }
  if (!isFileName(file)) return null;
  const behindWord = WORD.test(next) ? NUMBER.exec(afterNext)?.[1] : undefined;
  if (behindWord !== undefined) return { file, line: behindWord, column: undefined, lead, tokens: 3 };
  const gluedNext = WORD_AND_NUMBER.exec(next)?.[1];
  if (gluedNext !== undefined) return { file, line: gluedNext, column: undefined, lead, tokens: 2 };
  return { file, line: undefined, column: undefined, lead, tokens: 1 };
}

/** Chinese and Japanese write the word and the number as one: `Cart.cs:行号 42`, `Cart.cs:行42`. */
const GLUED_WORD = /^(.{1,300}):[\p{L}\p{M}]{1,16}(\d{1,9})$/u;
const LINE_ELSEWHERE =
  /\b(?:line|Line|LINE|lineno|row|Zeile|ligne|línea|linea|linha|riga|строка|行)[ :=#]{1,2}(\d{1,9})(?!\w)/;
const BARE_NAME = /^[\p{L}_$][\p{L}\p{N}_$ -]{0,60}$/u;

/** What opens in front of a file: brackets, a name with its bracket, an `@`. */
function splitLead(written: string): { lead: string; file: string } {
  const start = Math.max(written.lastIndexOf('('), written.lastIndexOf('@'), written.lastIndexOf('[')) + 1;
  const file = written.slice(start).replace(/^[<{]/, '');
  return { lead: written.slice(0, start), file };
}

/** What ends like a file and is a host. */
const HOST_LABEL =
  /^(?:com|net|org|io|dev|app|local|localhost|internal|lan|cloud|info|svc|cluster|test|example)$/i;

/** A name with the extension of a file, as a place without a number beside it has to be. */
function isFileName(file: string): boolean {
  return isPlaced(file) && /\.[a-z][a-z0-9]{0,6}$/.test(file) && !QUALIFIED_NAME.test(file);
}

/** `Class.Cart.total`, in front of `line 12`. */
const QUALIFIED_NAME = /^[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){1,5}\.[a-z]\w{3,60}$/;

/** Also `ServerScriptService.Cart`, in front of a number. */
function isPlaced(file: string): boolean {
  const dot = file.lastIndexOf('.');
  const extension = file.slice(dot + 1);
  if (dot < 1 || !EXTENSION.test(extension) || /[\s/\\.:]/.test(file.charAt(dot - 1))) return false;
  if (!HOST_LABEL.test(extension)) return true;
  return /[\\/]/.test(file.replace(/^[a-z][\w+.-]{0,20}:\/\/[^/]*/i, ''));
}

const EXTENSION = /^[A-Za-z][\w+-]{0,9}$/;

/** `libcart.so+0x1a`, `(total+0x1a)`, `_kDartIsolateSnapshotInstructions+0x1a2b`: a place in a build. */
const OFFSET =
  /(?:^|[\s([!`])([\p{L}_$~@?/\\][^\s()[\]!`+]{0,200})\s?\+\s?(0x[0-9a-f]{1,16}|\d{1,9})(?=$|[\s)\],;])/iu;
const WHOLE_BINARY = /\.(?:so(?:\.[\d.]+)?|dylib|dll|exe|bin|elf|wasm)$|^_kDart/;

function offsetFrame(text: string): ParsedFrame | null {
  const match = text.includes('+') ? OFFSET.exec(text) : null;
  const symbol = match?.[1];
  if (match === null || symbol === undefined) return null;
  const name = symbol.slice(1 + Math.max(symbol.lastIndexOf('/'), symbol.lastIndexOf('\\')));
  const isBinary = WHOLE_BINARY.test(name);
  return {
    module: isBinary ? name : '',
    // Of a binary nothing but the place in it tells one function from another.
    function: isBinary ? `${name}+${match[2] ?? ''}` : name,
    file: null,
    line: null,
    column: null,
    inApp: !SYSTEM_FILE.test(symbol) && !/^(?:lib(?:c|m|pthread|stdc\+\+|gcc_s|dl|art)\b|ld-)/.test(name),
  };
}

/** Words around names and places, in the languages that runtimes speak most. */
const CONNECTING =
  /^(?:at|in|from|of|by|on|line|file|called|call|caller|stack|frame|function|func|method|field|local|global|upvalue|raised|re-raised|thrown|the|module|script|source|characters|row|created|defined|near|inside|bei|dans|en|em|w|v|в|à|konum|block|error|warning|info|trace|note|cell)[:.,]?$/i;
const ORNAMENT = /^[\s#*|>│├└╰╭─═•→·.,:;\d()[\]{}<=-]+/u;
const ARGUMENTS = /\([^()]{0,300}\)/g;
const NAME = /^[\p{L}_$<~@%-][\p{L}\p{N}_$.:#<>~/!?*@^%+-]{0,300}$/u;

function nameBefore(before: string): string | null {
  const plain = before.replace(ARGUMENTS, '()').replace(ORNAMENT, '');
  // A word with a colon labels the line: a program, a level.
  const words = plain
    .split(/[\s,"'`]+/)
    .flatMap((word) => (/[^:]:$/.test(word) && !/\w[.#]\w/.test(word) ? [] : [bareName(word)]));
  const names = words.filter((word) => NAME.test(word) && !CONNECTING.test(word) && !/[\\/]/.test(word));
  const withArguments = /([^\s,"'`(]{1,200})\(\)[^(]*$/.exec(plain)?.[1];
  if (withArguments !== undefined && NAME.test(bareName(withArguments)))
    return lastPart(bareName(withArguments));
  const called = names.findLast((word) => /[.:#/>]./.test(word)) ?? names.at(-1);
  return called === undefined ? null : lastPart(called);
}

const LABELLED =
  /\b(?:in|by|function|method|func|proc|procedure|handler|call)\b[:\s]{1,3}(?:(?:function|method|field|local|global|upvalue|proc|the)\s{1,2}){0,2}[<'"`]?([\p{L}_$][\p{L}\p{N}_$.:#/!?-]{0,200})/iu;
/** The name with its arguments, or all that is left of the line. */
const CALLED_NAME = /([\p{L}_$<][\p{L}\p{N}_$.:#/<>!?-]{0,200})\(/u;
const ONLY_NAME = /^[\s:,;)\]–—-]{0,6}[('"`[]?([\p{L}_$<][\p{L}\p{N}_$.:#/<>!?-]{0,200})[)'"`\]│\s]*$/u;

function nameBehind(after: string): string | null {
  const labelled = LABELLED.exec(after)?.[1];
  const called = after.includes('(') ? CALLED_NAME.exec(after)?.[1] : undefined;
  const written = labelled ?? called ?? ONLY_NAME.exec(after.replace(/\+0x[0-9a-fA-F]{1,16}\s*$/, ''))?.[1];
  if (written === undefined) return null;
  const name = bareName(written);
  return name === '' || CONNECTING.test(name) ? null : lastPart(name);
}

function bareName(word: string): string {
  return word.replace(/^[([{]+/, '').replace(/(?:[()[\]{},;:=@]|->){1,20}$/, '');
}

/** The method of `Shop.Cart.total` and of `shop::Cart::total`. */
function lastPart(name: string): string {
  if (name.startsWith('<')) return name;
  const parts = name.split(/\.|::?|#|->|\//).filter((part) => part !== '' && !/^\d+$/.test(part));
  return parts.length < 3 ? name : parts.slice(-2).join('.');
}
