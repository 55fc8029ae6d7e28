import { isStatementName } from '../statement/pair-statement.ts';
import { unescaped } from '../statement/read-pairs.ts';
import { speakingWords } from '../statement/statement.ts';
import { isMarkAt, isValueMark, type MarkedText } from './marks.ts';
import { separatorToken, type TemplateToken, valueToken, wordToken } from './template-token.ts';
import { hasDigit, isNameWithDigits, isValueText } from './value-words.ts';

const QUOTED_CHARS_MAX = 300;
const QUOTED_WORD_CHARS_MAX = 60;

/** The class of each ASCII character: 0 is part of a token, 1 is blank, 2 separates, 3 opens a quotation. */
const CLASSES = new Uint8Array(128);
CLASSES[0x20] = 1;
for (const separator of '=,;|()[]{}<>') CLASSES[separator.charCodeAt(0)] = 2;
for (const quote of '"\'`') CLASSES[quote.charCodeAt(0)] = 3;

const COLON = 0x3a;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;

/** Quotations inside of quotations whose words count. */
const NESTING_MAX = 3;

/** Cuts a line with marks into words, values and separators. */
export function scanTokens(line: string, marks: MarkedText, nesting = 0): TemplateToken[] {
  const tokens: TemplateToken[] = [];
  let isBare: boolean | null = null;
  /** Returns true if the line says so little outside of its quotations that they are its content. */
  const saysLittle = (): boolean => (isBare ??= speakingWords(withoutQuotations(line)) < 2);
  let isSpaced = false;
  let index = 0;
  while (index < line.length) {
    const kind = classAt(line, index);
    if (kind === 1) {
      isSpaced = true;
      index += 1;
      continue;
    }
    let end = index + 1;
    if (isMarkAt(line, index)) {
      tokens.push(markToken(line.charCodeAt(index), isSpaced, marks));
    } else if (kind === 3 && !isApostrophe(line, index)) {
      end = pushQuoted(tokens, { line, start: index, isSpaced, nesting, saysLittle }, marks);
    } else if (kind >= 2 || line.charCodeAt(index) === COLON) {
      tokens.push(separatorToken(line.charAt(index), isSpaced));
    } else {
      end = tokenEnd(line, index);
      pushText(tokens, line.slice(index, end), isSpaced);
    }
    isSpaced = false;
    index = end;
  }
  return tokens;
}

function classAt(line: string, index: number): number {
  const code = line.charCodeAt(index);
  if (code < 128) return CLASSES[code] ?? 0;
  return code === 0x201c || code === 0xab || code === 0x2018 ? 3 : 0;
}

function markToken(code: number, isSpaced: boolean, marks: MarkedText): TemplateToken {
  return isValueMark(code) ? valueToken('', isSpaced) : wordToken(marks.kept(code), isSpaced);
}

/** Inside a word, as in `can't`, which opens and closes nothing. */
function isApostrophe(line: string, index: number): boolean {
  return line.charCodeAt(index) === APOSTROPHE && index > 0 && isWordCode(line.charCodeAt(index - 1));
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    (code >= 0xc0 && code < 0x2000)
  );
}

function tokenEnd(line: string, start: number): number {
  const isSolid = isSolidCode(line.charCodeAt(start));
  for (let index = start + 1; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if (!isSolid && code < 128 && code !== COLON && CLASSES[code] === 0) continue;
    const kind = classAt(line, index);
    if (kind === 1 || kind === 2 || isMarkAt(line, index)) return index;
    if (kind === 3 && !(isApostrophe(line, index) && isWordCode(line.charCodeAt(index + 1)))) return index;
    if (code === COLON && endsClause(line, index + 1)) return index;
    if (isSolidCode(code) !== isSolid) return index;
  }
  return line.length;
}

function endsClause(line: string, index: number): boolean {
  return index >= line.length || classAt(line, index) !== 0;
}

/**
 * Returns true for scripts that write words without blanks between them, so that a number in a sentence is a separate
 * token.
 */
function isSolidCode(code: number): boolean {
  return (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xffef)
  );
}

/** `com.acme.Order@1b2c3d`: the class stays. */
const IDENTITY = /^([A-Za-z_$][\w$.]{0,200})@[0-9a-f]{4,16}[.,:]?$/;
/** After a request, three digits are its status. */
const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/;
const STATUS = /^[1-5]\d\d$/;
const CONSTANT = /^(?:true|false|null|nil|none|undefined|nan|yes|no)$/i;

function pushText(tokens: TemplateToken[], text: string, isSpaced: boolean): void {
  const before = tokens.at(-1);
  const identity = text.includes('@') ? IDENTITY.exec(text)?.[1] : undefined;
  if (identity !== undefined && !hasDigit(identity)) {
    tokens.push(wordToken(`${identity}@`, isSpaced), valueToken(text, false));
  } else if (isValueText(text)) {
    if (STATUS.test(text) && isRequest(tokens)) {
      tokens.push(wordToken(text, isSpaced));
    } else {
      tokens.push(valueToken(text, isSpaced));
    }
  } else if (before?.kind === 'separator' && isBoundText(tokens, before, text)) {
    tokens.push(valueToken(text, isSpaced));
  } else {
    tokens.push(wordToken(text, isSpaced));
  }
}

/** Returns true if the method and the address are in front. */
function isRequest(tokens: readonly TemplateToken[]): boolean {
  const method = tokens.at(-2);
  return tokens.at(-1)?.kind === 'value' && method?.kind === 'word' && METHOD.test(method.text);
}

/** A constant after `=` or a quoted name, a question mark in a list of values. */
function isBoundText(tokens: readonly TemplateToken[], before: TemplateToken, text: string): boolean {
  if (text === '?') return before.text === '(' || before.text === ',' || before.text === '=';
  if (!CONSTANT.test(text)) return false;
  return before.text === '=' || (before.text === ':' && tokens.at(-2)?.text.endsWith("'") === true);
}

interface Quotation {
  line: string;
  /** Index of the quote that opens. */
  start: number;
  isSpaced: boolean;
  nesting: number;
  saysLittle: () => boolean;
}

/** Returns the index at which the text continues. A quote without its partner separates. */
function pushQuoted(tokens: TemplateToken[], quotation: Quotation, marks: MarkedText): number {
  const { line, start, isSpaced, nesting } = quotation;
  const close = closingQuote(line, start);
  if (close === -1) {
    tokens.push(separatorToken("'", isSpaced));
    return start + 1;
  }
  const content = line.slice(start + 1, close);
  const method = REQUEST_LINE.exec(content)?.[1];
  if (method !== undefined) {
    tokens.push(wordToken(`'${method}`, isSpaced), valueToken('', true), separatorToken("'", false));
  } else if (content.length === 1 && isMarkAt(content, 0)) {
    const token = markToken(content.charCodeAt(0), isSpaced, marks);
    tokens.push(token.kind === 'word' ? wordToken(`'${token.text}'`, isSpaced) : token);
  } else if (content.endsWith(')') && SIGNATURE.test(content)) {
    tokens.push(wordToken(`'${content.replace(NAME_OF_OBFUSCATOR, '*')}'`, isSpaced));
  } else if (isPlainWord(content)) {
    tokens.push(wordToken(`'${content}'`, isSpaced));
  } else if (nesting < NESTING_MAX && isStatement(content, tokens, quotation)) {
    const inside = scanTokens(unescaped(content).replace(/\s+/g, ' ').trim(), marks, nesting + 1);
    inside.forEach((token, at) => {
      tokens.push(at === 0 ? { ...token, isSpaced } : token);
    });
  } else {
    tokens.push(valueToken(content, isSpaced));
  }
  return close + 1;
}

/** Returns true if a quotation is the statement of the message, not a value in it. */
function isStatement(content: string, tokens: readonly TemplateToken[], { saysLittle }: Quotation): boolean {
  if (!HAS_WORDS.test(content)) return false;
  if (HAS_KEPT_MARK.test(content)) return true;
  const name = boundName(tokens);
  if (name !== null && (isStatementName(name) || ANNOUNCING_TYPE.test(name))) return true;
  // A name that binds a value, quoted as in JSON or not; a label in front of the message binds none.
  if (name !== null && (tokens.at(-1)?.text !== ':' || !LABEL.test(name) || VALUE_NAME.test(name)))
    return false;
  const before = tokens.at(-1);
  if (before?.kind === 'word' && ANNOUNCING_WORD.test(before.text)) return true;
  return saysLittle();
}

const HAS_WORDS = /\p{L}{2}/u;
/** A text that distinguishes one error from another, such as a status of HTTP with its reason. */
const HAS_KEPT_MARK = /(?<![\ud800-\udbff])[\udc00-\udfdf]/;
/** `IllegalStateException: "…"`, `ValueError('…')`, `io.grpc.Status: "…"`. */
const ANNOUNCING_TYPE = /(?:Error|Exception|Fault|Failure|Panic|Warning|Interrupt)$|\w(?:\.|::)\w/;
const ANNOUNCING_WORD =
  /^(?:message|error|exception|reason|cause|detail|because|said|says|saying|replied|responded|answered|stderr|stdout|output)$/i;

const LABEL = /^\p{L}[\p{L}\p{N}_.-]*$/u;
/** The names that people give to their values. */
const VALUE_NAME =
  /(?:name|user|owner|author|customer|account|e?mail|file|path|dir|directory|folder|url|uri|host|key|value|query|sql|statement|id|token|input|param|parameter|argument|arg|address|city|product|order|item|tag|label|subject|command|cmd|agent|field|string|text)s?$/i;

/** The name to which `=`, `:`, `=>` or a bracket binds what follows; null where nothing is bound. */
function boundName(tokens: readonly TemplateToken[]): string | null {
  let at = tokens.length - 1;
  if (tokens[at]?.kind !== 'separator') return null;
  if (tokens[at]?.text === '>' && tokens[at - 1]?.text === '=') at -= 1;
  const { text } = tokens[at] ?? { text: '' };
  const name = tokens[at - 1];
  if (name?.kind !== 'word' || !['=', ':', '('].includes(text)) return null;
  return name.text;
}

/** The line with a blank in the place of each quotation. */
function withoutQuotations(line: string): string {
  let outside = '';
  let index = 0;
  while (index < line.length) {
    const close = classAt(line, index) === 3 && !isApostrophe(line, index) ? closingQuote(line, index) : -1;
    outside += close === -1 ? line.charAt(index) : ' ';
    index = close === -1 ? index + 1 : close + 1;
  }
  return outside;
}

const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND) \S/;
const HAS_BLANK_OR_MARK = /[\s\udc00-\udfff]/;

function isPlainWord(content: string): boolean {
  if (content === '' || content.length > QUOTED_WORD_CHARS_MAX || HAS_BLANK_OR_MARK.test(content))
    return false;
  return hasDigit(content) ? isNameWithDigits(content) : !isValueText(content);
}

/** A method with its types, as virtual machines of Java quote it: `java.lang.String com.shop.Cart.total(int, java.util.Map)`. */
const SIGNATURE =
  /^(?:[A-Za-z_$][\w.$]{0,150}(?:\[\]){0,3} )?(?:[A-Za-z_$][\w$]{0,100}\.){1,12}[A-Za-z_$<][\w$>]{0,100}\((?:[A-Za-z_$][\w.$[\]]{0,150}(?:, ?[A-Za-z_$][\w.$[\]]{0,150}){0,12})?\)$/;
/** Another one after each build. */
const NAME_OF_OBFUSCATOR = /(?<![\w$.])[A-Za-z]\w?(?:\.[A-Za-z]\w?){1,4}(?![\w$.])/g;

/** Index of the quote that closes the one at `start`, or -1; a quotation may hold others in the same marks. */
function closingQuote(line: string, start: number): number {
  const outer = line.charAt(start) === '"' ? closingOuterQuote(line, start) : -1;
  return outer === -1 ? firstClosingQuote(line, start) : outer;
}

/** Index of the second of two quotes in a row, if one opened between them: `"no route for "GET /cart""`; or -1. */
function closingOuterQuote(line: string, start: number): number {
  const last = Math.min(line.length, start + QUOTED_CHARS_MAX + 2);
  const close = line.indexOf('""', start + 1);
  if (close === -1 || close + 1 >= last) return -1;
  const inner = line.indexOf('"', start + 1);
  return inner < close && line.indexOf('"', inner + 1) === close && line.charCodeAt(inner - 1) === 0x20
    ? close + 1
    : -1;
}

function firstClosingQuote(line: string, start: number): number {
  const open = line.charAt(start);
  const closing =
    open === '\u201c' ? '\u201d' : open === '\u00ab' ? '\u00bb' : open === '\u2018' ? '\u2019' : open;
  const last = Math.min(line.length, start + QUOTED_CHARS_MAX + 2);
  for (let index = start + 1; index < last; index++) {
    if (line.charCodeAt(index) === BACKSLASH) {
      index += 1;
      continue;
    }
    const char = line.charAt(index);
    if (char !== closing && !(open === '`' && char === "'")) continue;
    if (char === "'" && isWordCode(line.charCodeAt(index + 1))) continue;
    return index;
  }
  return -1;
}
