/** One named text inside a structured message. */
export interface Pair {
  /** The names from the outermost object to this value, in small letters and without `_`, `-`, `.`, `@` and `:`. */
  path: readonly string[];
  value: string;
}

/** A part of a text that was read, and where it ends. */
interface Part<T> {
  value: T;
  end: number;
}

const PAIRS_MAX = 100;
const DEPTH_MAX = 6;
const NAME_CHARS_MAX = 60;

const BLANK = /\s/;
const QUOTES = '"\'`';
const OPENING = '{[(';
const CLOSING = '}])';

/**
 * The named texts of an object as programs write it: JSON, also cut off, the dictionaries of Python, Ruby, PHP and Go,
 * and what `toString` of Java, Kotlin and JavaScript makes. One pass over the text; never throws.
 * @param start index of the bracket that opens the object
 */
export function readObjectPairs(text: string, start: number): Part<Pair[]> {
  const pairs: Pair[] = [];
  const end = readMembers(text, start, [], pairs);
  return { value: pairs, end };
}

/** The pairs of `name=value` (logfmt) in a line, and the line without them. */
export function readLinePairs(line: string): { pairs: Pair[]; outside: string } {
  const pairs: Pair[] = [];
  let outside = '';
  let index = 0;
  while (index < line.length) {
    const nameEnd = lineNameEnd(line, index);
    if (nameEnd === -1 || pairs.length >= PAIRS_MAX) {
      const end = segmentEnd(line, index);
      outside += line.slice(index, end);
      index = end;
      continue;
    }
    const value = readLineValue(line, nameEnd + 1);
    pairs.push({ path: [plainName(line.slice(index, nameEnd))], value: value.value });
    index = value.end;
  }
  return { pairs, outside };
}

/** Index of the `=` behind a name that begins a word at `start`, or -1. */
function lineNameEnd(line: string, start: number): number {
  if (start > 0 && !isBetween(line, start - 1)) return -1;
  let index = start;
  while (index < line.length && index - start <= NAME_CHARS_MAX && isOf(LINE_NAME, line, index)) index += 1;
  const isName = index > start && line.charAt(index) === '=' && line.charAt(index + 1) !== '=';
  return isName && /[A-Za-z@_]/.test(line.charAt(start)) ? index : -1;
}

/** The end of the word, quotation or blank at `start`. */
function segmentEnd(line: string, start: number): number {
  if (QUOTES.includes(line.charAt(start)) && (start === 0 || BLANK.test(line.charAt(start - 1)))) {
    return readQuoted(line, start)?.end ?? start + 1;
  }
  let index = start + 1;
  while (index < line.length && !isBetween(line, index - 1)) index += 1;
  return index;
}

/** The ASCII characters of a class, by their codes. */
function asciiOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}

/** A name without quotes: of JavaScript, Ruby (`:msg`), logfmt (`http.status`) and of Serilog (`@mt`). */
const BARE_NAME = asciiOf(/[\w.@$:/-]/);
const WORD = asciiOf(/\w/);
const LINE_NAME = asciiOf(/[\w.@/-]/);
const BETWEEN = asciiOf(/[\s,;|]/);

function isOf(ascii: Uint8Array, text: string, index: number): boolean {
  return ascii[text.charCodeAt(index)] === 1;
}

/** Returns true if the character separates the words of a line. */
function isBetween(line: string, index: number): boolean {
  return isOf(BETWEEN, line, index) || (line.charCodeAt(index) >= 128 && BLANK.test(line.charAt(index)));
}

function readLineValue(line: string, start: number): Part<string> {
  const char = line.charAt(start);
  if (QUOTES.includes(char) && char !== '') {
    const quoted = readQuoted(line, start);
    if (quoted !== null) return quoted;
  }
  if (char === '{' || char === '[') {
    const { end } = readObjectPairs(line, start);
    return { value: line.slice(start, end), end };
  }
  let end = start;
  while (end < line.length && !isBlank(line, end)) end += 1;
  return { value: line.slice(start, end).replace(/[,;]$/, ''), end };
}

/** Reads the members of the object that opens at `start`; returns the index behind it. */
function readMembers(text: string, start: number, path: readonly string[], pairs: Pair[]): number {
  const isGoMap = text.startsWith('map[', start - 3);
  let index = start + 1;
  while (index < text.length && pairs.length < PAIRS_MAX) {
    const char = text.charAt(index);
    if (CLOSING.includes(char)) return index + 1;
    const printed = char === '[' ? printedName(text, index) : null;
    if (printed !== null) {
      index = readValue(text, printed.end, [...path, plainName(printed.value)], pairs, isGoMap);
      continue;
    }
    if (OPENING.includes(char)) {
      // An element of a list has the name of the list.
      if (path.length >= DEPTH_MAX) return text.length;
      index = readMembers(text, index, path, pairs);
      continue;
    }
    const name = readName(text, index);
    if (name === null) {
      index += 1;
      continue;
    }
    const valueAt = behindSeparator(text, name.end);
    if (valueAt === -1) {
      if (path.length > 0 && QUOTES.includes(char)) pairs.push({ path, value: name.value });
      index = Math.max(name.end, index + 1);
      continue;
    }
    index = readValue(text, valueAt, [...path, plainName(name.value)], pairs, isGoMap);
  }
  return text.length;
}

/** `[message] => `, as PHP prints an array. */
function printedName(text: string, start: number): Part<string> | null {
  PRINTED_NAME.lastIndex = start;
  const match = PRINTED_NAME.exec(text);
  return match === null ? null : { value: match[1] ?? '', end: PRINTED_NAME.lastIndex };
}

const PRINTED_NAME = /\[([\w:-]{1,60})\] =>[ \t]?/y;

function readName(text: string, start: number): Part<string> | null {
  const char = text.charAt(start);
  if (QUOTES.includes(char)) return readQuoted(text, start);
  let end = start;
  while (end < text.length && end - start <= NAME_CHARS_MAX && isNameChar(text, end)) end += 1;
  return end === start ? null : { value: text.slice(start, end), end };
}

/** Returns true for the characters of a name. A colon is one only if no word character precedes it. */
function isNameChar(text: string, index: number): boolean {
  if (text.charCodeAt(index) === 0x3a) return index === 0 || !isOf(WORD, text, index - 1);
  return isOf(BARE_NAME, text, index);
}

/** Index of the value behind `:`, `=` or `=>`; -1 where none of them follows. */
function behindSeparator(text: string, start: number): number {
  let index = skipBlanks(text, start);
  if (text.startsWith('=>', index)) index += 2;
  else if (text.charAt(index) === ':' || text.charAt(index) === '=') index += 1;
  else return -1;
  return skipBlanks(text, index);
}

function readValue(
  text: string,
  start: number,
  path: readonly string[],
  pairs: Pair[],
  isGoMap: boolean,
): number {
  const char = text.charAt(start);
  if (QUOTES.includes(char) && char !== '') {
    const quoted = readQuoted(text, start) ?? { value: text.slice(start + 1), end: text.length };
    pairs.push({ path, value: quoted.value });
    return quoted.end;
  }
  if (OPENING.includes(char) && char !== '') {
    return path.length >= DEPTH_MAX ? text.length : readMembers(text, start, path, pairs);
  }
  const end = bareValueEnd(text, start, isGoMap);
  const opens = text.charAt(end);
  // `error=CartError(message=…)`: the text before the bracket is the type.
  if (opens === '{' || opens === '(' || opens === '[') {
    const type = text.slice(start, end).trim();
    if (type !== '' && type !== 'map') pairs.push({ path: [...path, 'type'], value: type });
    return path.length >= DEPTH_MAX ? text.length : readMembers(text, end, path, pairs);
  }
  pairs.push({ path, value: text.slice(start, end).trim() });
  return end;
}

/** A value without quotes ends at a comma, at a bracket, at a line's end, in Go's maps before the next name. */
function bareValueEnd(text: string, start: number, isGoMap: boolean): number {
  for (let index = start; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === ',' || char === ';' || char === '\n' || CLOSING.includes(char)) return index;
    if (
      OPENING.includes(char) &&
      /^[\w.$&:*]*$/.test(text.slice(start, Math.min(index, start + NAME_CHARS_MAX)))
    ) {
      return index;
    }
    if (char === ' ' && printedName(text, index + 1) !== null) return index;
    if (isGoMap && char === ' ' && GO_NAME.test(text.slice(index + 1, index + 1 + NAME_CHARS_MAX)))
      return index;
  }
  return text.length;
}

const GO_NAME = /^[A-Za-z_]\w{0,40}:(?!\s)/;

/** The text between quotes without its escapes; null where nothing closes it. */
function readQuoted(text: string, start: number): Part<string> | null {
  const quote = text.charAt(start);
  for (let index = start + 1; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === '\\') index += 1;
    else if (char === quote && !(quote === "'" && /\w/.test(text.charAt(index + 1)))) {
      return { value: unescaped(text.slice(start + 1, index)), end: index + 1 };
    }
  }
  return null;
}

/** Text without the escapes of a quotation. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_whole, hex: string | undefined, char: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return char === 'n' || char === 'r' ? '\n' : char === 't' ? ' ' : char;
  });
}

function skipBlanks(text: string, start: number): number {
  let index = start;
  while (index < text.length && isBlank(text, index)) index += 1;
  return index;
}

function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 128 ? code <= 0x20 && BLANK.test(text.charAt(index)) : BLANK.test(text.charAt(index));
}

function plainName(name: string): string {
  return name.replace(/[_.@:$/-]/g, '').toLowerCase();
}
