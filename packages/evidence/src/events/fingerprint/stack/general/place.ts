/** A place in code within a line, and the text before and after it. */
export interface Place {
  file: string;
  line: string | undefined;
  column: string | undefined;
  before: string;
  after: string;
}

/** `File "cart.ml", line 12, characters 3-9`, `„cart.py“, Zeile 12`, `(file "cart.tcl" line 12)`. */
const QUOTED =
  /["'“„«]([^"'“”„«»\n]{1,300})["'”“»],?\s{0,3}(?:[:(]\s?)?(\p{L}{1,16}\.?\s{1,3})?(\d{1,9})(?:[:,.](\d{1,9}))?(?!\w)/gu;

/** The place of a file in quotation marks. */
export function quotedPlace(text: string): Place | null {
  if (!/["'“„«]/.test(text)) return null;
  for (const match of text.matchAll(QUOTED)) {
    const [whole, file = '', word, line, column] = match;
    if (!isFileName(file) && !(word !== undefined && isPlaced(file)) && !/^<.{1,60}>$/.test(file)) continue;
    const { index } = match;
    return { file, line, column, before: text.slice(0, index), after: text.slice(index + whole.length) };
  }
  return null;
}

const BETWEEN_TOKENS = /[\s"'`“”„«»]/;
/** A file with its line behind a colon or in brackets. */
const FILE_AND_LINE =
  /^(.{1,300}?)(:|\(|\[)(\d{1,9})(?:[:,.-](\d{1,9}))?(?:-\d{1,9})?[)\]]{0,2}[:,.;)\]]{0,3}$/;
/** `Cart.cs:Zeile` with its number in the next word. */
const FILE_AND_WORD = /^(.{1,300}):[\p{L}\p{M}]{1,16}\.?$/u;
const WORD_AND_NUMBER = /^[\p{L}\p{M}]{1,16}(\d{1,9})$/u;
const NUMBER_APART = /^(?:\((\d{1,9})\):?|(\d{1,9}):(\d{1,9})[:,]?)$/;
const NUMBER = /^(\d{1,9})[:,.;)\]]{0,3}$/;
const WORD = /^[\p{L}\p{M}]{1,16}[.:]?$/u;

/** Returns the first place of a line whose file has no quotation marks. */
export function writtenPlace(text: string): Place | null {
  const tokens = tokensOf(text);
  let apart: Place | null = null;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    if (!token.mayBePlace) continue;
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
    apart ??= { ...around, line: undefined };
  }
  const line = apart === null ? undefined : LINE_ELSEWHERE.exec(text)?.[1];
  return apart === null || line === undefined ? null : { ...apart, line };
}

interface Token {
  text: string;
  at: number;
  /** It holds a digit or a dot, as every place does. */
  mayBePlace: boolean;
}

/** Returns the texts between blanks and quotation marks. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = -1;
  let mayBePlace = false;
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : 0x20;
    if (!isBetweenTokens(code)) {
      if (at === -1) at = index;
      if (code === 0x2e || (code >= 0x30 && code <= 0x39)) mayBePlace = true;
    } else if (at !== -1) {
      tokens.push({ text: text.slice(at, index), at, mayBePlace });
      at = -1;
      mayBePlace = false;
    }
  }
  return tokens;
}

function isBetweenTokens(code: number): boolean {
  if (code < 0x80) return code <= 0x20 ? isBlankCode(code) : code === 0x22 || code === 0x27 || code === 0x60;
  return BETWEEN_TOKENS.test(String.fromCharCode(code));
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

interface TokenPlace {
  file: string;
  /** Undefined if no number is next to the file. */
  line: string | undefined;
  column: string | undefined;
  /** The part of the token in front of the file: `total(` of `total(cart.x:12)`. */
  lead: string;
  /** The number of tokens of the place. */
  tokens: number;
}

function tokenPlace(token: string, next: string, afterNext: string, text: string): TokenPlace | null {
  const hasDigit = /\d/.test(token);
  const hasDot = token.includes('.');
  const match = hasDigit ? FILE_AND_LINE.exec(token) : null;
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
  // A file has an extension.
  if (!hasDot) return null;
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
  // `cart.ahk (42)`, `cart.scss 42:10`.
  const apart = NUMBER_APART.exec(next);
  if (apart !== null) return { file, line: apart[1] ?? apart[2], column: apart[3], lead, tokens: 2 };
  const gluedNext = WORD_AND_NUMBER.exec(next)?.[1];
  if (gluedNext !== undefined) return { file, line: gluedNext, column: undefined, lead, tokens: 2 };
  return { file, line: undefined, column: undefined, lead, tokens: 1 };
}

/** Chinese and Japanese write the word and the number as one: `Cart.cs:行号 42`, `Cart.cs:行42`. */
const GLUED_WORD = /^(.{1,300}):[\p{L}\p{M}]{1,16}(\d{1,9})$/u;
/** The number of a line apart from its file. */
export const LINE_ELSEWHERE =
  /\b(?:line|Line|LINE|lineno|row|Zeile|ligne|línea|linea|linha|riga|строка|行)[ :=#]{1,2}(\d{1,9})(?!\w)/;
const BARE_NAME = /^[\p{L}_$][\p{L}\p{N}_$ -]{0,60}$/u;

/** Splits the opening from a file: brackets, a name with its bracket, an `@`. */
function splitLead(written: string): { lead: string; file: string } {
  const start = Math.max(written.lastIndexOf('('), written.lastIndexOf('@'), written.lastIndexOf('[')) + 1;
  const file = written.slice(start).replace(/^[<{]/, '');
  return { lead: written.slice(0, start), file };
}

/** The last label of a host that looks like the extension of a file. */
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
