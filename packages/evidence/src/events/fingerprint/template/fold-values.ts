import { foldNeighbours, GLUE } from './fold-neighbours.ts';
import { type TemplateToken, valueToken, wordToken } from './template-token.ts';
import { CURRENCIES } from './value-words.ts';

/** Makes values of one field look alike, however many there are and whatever is written beside them. */
export function foldValues(tokens: readonly TemplateToken[]): readonly TemplateToken[] {
  const bracketed = tokens.some(isOpening) ? foldBrackets(tokens) : tokens;
  // All else happens beside values.
  if (!hasValue(bracketed, 0, bracketed.length)) return bracketed;
  return foldRepeats(foldNeighbours(foldDates(foldUnits(bracketed))));
}

function isOpening({ kind, text }: TemplateToken): boolean {
  return kind === 'separator' && OPENING.includes(text);
}

const OPENING = '([{';
const CLOSING = ')]}';
interface OpenBracket {
  at: number;
  char: string;
  hasValue: boolean;
  hasOther: boolean;
}

/** Brackets that hold values only are one value; empty ones go. */
function foldBrackets(tokens: readonly TemplateToken[]): TemplateToken[] {
  const folded: TemplateToken[] = [];
  const open: OpenBracket[] = [];
  for (const token of tokens) {
    const within = open.at(-1);
    if (isOpening(token)) {
      open.push({ at: folded.length, char: token.text, hasValue: false, hasOther: false });
      folded.push(token);
      continue;
    }
    const side = token.kind === 'separator' ? CLOSING.indexOf(token.text) : -1;
    if (side === -1) {
      if (token.kind === 'value') mark(within, true);
      else if (!GLUE.has(token.text)) mark(within, false);
      folded.push(token);
      continue;
    }
    if (within === undefined || within.char !== OPENING[side]) {
      mark(within, false);
      folded.push(token);
      continue;
    }
    open.pop();
    const outside = open.at(-1);
    if (within.hasOther) {
      mark(outside, false);
      folded.push(token);
      continue;
    }
    const isSpaced = folded[within.at]?.isSpaced ?? false;
    const inside = folded.length - within.at - 1;
    folded.length = within.at;
    if (within.hasValue) {
      folded.push(valueToken('', isSpaced));
      mark(outside, true);
    } else if (inside > 0) {
      // Separators alone say nothing.
      mark(outside, false);
    }
  }
  return folded;
}

function mark(bracket: OpenBracket | undefined, isValue: boolean): void {
  if (bracket === undefined) return;
  if (isValue) bracket.hasValue = true;
  else bracket.hasOther = true;
}

const UNITS: ReadonlySet<string> = new Set(
  (
    'ns us µs ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days week weeks ' +
    'month months year years b kb mb gb tb pb kib mib gib tib byte bytes bit bits kbit mbit gbit kbps mbps gbps ' +
    'b/s kb/s mb/s gb/s % percent px pt em rem hz khz mhz ghz rpm v mv kv a ma w kw kwh °c °f k fps dpi m/s km cm mm ' +
    'kg g mg lbs am pm utc gmt z nanoseconds microseconds milliseconds msec msecs millis'
  ).split(' '),
);
const WORD_END = /[.,:!?…]{1,3}$/;
/** After a number these are no unit though they are in the list: `5 a`, `2 k`. */
const UNIT_CHARS_MAX = 12;

/** A unit and a currency go with the number before them, a comparison and a currency with the one behind them. */
function foldUnits(tokens: readonly TemplateToken[]): TemplateToken[] {
  const folded: TemplateToken[] = [];
  for (const token of tokens) {
    const before = folded.at(-1);
    if (token.kind === 'word' && before?.kind === 'value' && isUnit(token.text)) continue;
    if (token.kind === 'value' && before?.kind === 'word' && CURRENCIES.has(before.text)) {
      folded.length -= 1;
      folded.push({ ...token, isSpaced: before.isSpaced });
      continue;
    }
    if (token.kind === 'value' && before !== undefined && isComparison(before)) {
      const isSpaced = popComparison(folded);
      folded.push({ ...token, isSpaced: isSpaced || token.isSpaced });
      continue;
    }
    const isCounted = before?.kind === 'value' || (folded.at(-2)?.kind === 'value' && isSmallWord(before));
    folded.push(isCounted && token.kind === 'word' ? singular(token) : token);
  }
  return folded;
}

/** `2 validation errors`: what is counted may have a word in front of it. */
function isSmallWord(token: TemplateToken | undefined): boolean {
  return token?.kind === 'word' && token.isSpaced && /^[a-z]{3,30}$/.test(token.text);
}

function isUnit(text: string): boolean {
  if (text.length > UNIT_CHARS_MAX + 3) return false;
  const bare = text.replace(WORD_END, '');
  return UNITS.has(bare.toLowerCase()) || CURRENCIES.has(bare);
}

const COMPARISONS: ReadonlySet<string> = new Set([
  '<',
  '>',
  '=',
  '!',
  '~',
  '≈',
  '≤',
  '≥',
  '<=',
  '>=',
  '==',
  '!=',
]);

function isComparison({ text, kind, isSpaced }: TemplateToken): boolean {
  if (kind === 'value' || !COMPARISONS.has(text)) return false;
  // `name=5` is an assignment, and so is `name = 5`.
  return text !== '=' || !isSpaced;
}

function popComparison(folded: TemplateToken[]): boolean {
  const last = folded.at(-1);
  if (last?.text === '=') {
    const first = folded.at(-2);
    if (first === undefined || !COMPARISONS.has(first.text) || first.kind === 'value') return false;
    folded.length -= 2;
    return first.isSpaced;
  }
  folded.length -= 1;
  return last?.isSpaced ?? false;
}

const PLURAL = /^[a-z]{2,30}(?:[^sui'\W]s|\(s\))[.,:]?$/;

/** `1 row` and `2 rows` are counts of one thing. */
function singular(token: TemplateToken): TemplateToken {
  if (!PLURAL.test(token.text)) return token;
  const bare = token.text.replace(/[.,:]$/, '');
  const one = bare.endsWith('ies') ? `${bare.slice(0, -3)}y` : bare.slice(0, -1);
  return wordToken(one + token.text.slice(bare.length), token.isSpaced);
}

const MONTH =
  /^(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Januar|Februar|März|Mai|Juni|Juli|Okt(?:ober)?|Dez(?:ember)?)\.?$/;
/** Months of French, Spanish, Italian and Portuguese, which are not written with a capital; `mars` lost what looks like a plural. */
const SMALL_MONTHS: ReadonlySet<string> = new Set(
  (
    'janvier février mar avril mai juin juillet août septembre octobre novembre décembre enero febrero marzo abril ' +
    'mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio ' +
    'settembre ottobre dicembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro'
  ).split(' '),
);
const DAY =
  /^(?:Mon(?:day)?|Tue(?:s(?:day)?)?|Wed(?:nesday)?|Thu(?:rs(?:day)?)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)\.?$/;
const ZONE = /^(?:UTC|GMT|CES?T|BST|IST|JST|[ECMP][SD]T|Z)$/;

/** Names of months and days beside a value are a part of its date. */
function foldDates(tokens: readonly TemplateToken[]): readonly TemplateToken[] {
  if (!tokens.some(isNameOfDate)) return tokens;
  const dated = tokens.map((token, index) =>
    (token.kind === 'word' &&
      (MONTH.test(token.text) || ZONE.test(token.text)) &&
      isBesideValue(tokens, index)) ||
    isSmallMonth(tokens, index)
      ? valueToken(token.text, token.isSpaced)
      : token,
  );
  return dated.map((token, index) =>
    token.kind === 'word' && DAY.test(token.text) && isBesideValue(dated, index)
      ? valueToken(token.text, token.isSpaced)
      : token,
  );
}

const NAME_OF_DATE_CHARS_MAX = 10;

function isNameOfDate({ kind, text }: TemplateToken): boolean {
  if (kind !== 'word' || text.length > NAME_OF_DATE_CHARS_MAX) return false;
  if (SMALL_MONTHS.has(text)) return true;
  if (!isCapital(text.charCodeAt(0))) return false;
  return MONTH.test(text) || DAY.test(text) || ZONE.test(text);
}

/** A month between a day and a year, or behind a day: `3 de enero de 2026`, `3 mars`. */
function isSmallMonth(tokens: readonly TemplateToken[], index: number): boolean {
  const { kind, text = '' } = tokens[index] ?? {};
  if (kind !== 'word' || !SMALL_MONTHS.has(text)) return false;
  const before = tokens[index - 1];
  return (before?.text === 'de' ? tokens[index - 2] : before)?.kind === 'value';
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function isBesideValue(tokens: readonly TemplateToken[], index: number): boolean {
  const after = tokens[index + 1]?.text === ',' ? tokens[index + 2] : tokens[index + 1];
  return after?.kind === 'value' || tokens[index - 1]?.kind === 'value';
}

const PERIOD_MAX = 12;
const BETWEEN: ReadonlySet<string> = new Set([',', ';', '|', 'and']);

/** Patterns of a few tokens with a value are one where they are repeated: `a=1, a=2, a=3`. */
function foldRepeats(tokens: readonly TemplateToken[]): readonly TemplateToken[] {
  let folded = tokens;
  for (let period = 2; period <= PERIOD_MAX && period * 2 - 1 <= folded.length; period++) {
    if (mayRepeat(folded, period)) folded = foldPeriod(folded, period);
  }
  return folded;
}

/** Returns true if nearly a whole period of tokens in a row equal those a period later. */
function mayRepeat(tokens: readonly TemplateToken[], period: number): boolean {
  let equal = 0;
  for (let index = 0; index + period < tokens.length; index++) {
    equal = areAlike(tokens[index], tokens[index + period]) ? equal + 1 : 0;
    if (equal >= period - 1) return true;
  }
  return false;
}

function foldPeriod(tokens: readonly TemplateToken[], period: number): TemplateToken[] {
  const folded: TemplateToken[] = [];
  let index = 0;
  // Tokens from here on that equal the one a period later; one less with each step.
  let equal = 0;
  while (index < tokens.length) {
    while (areAlike(tokens[index + equal], tokens[index + equal + period])) equal += 1;
    const last = tokens[index + period - 1];
    const isBetween = last !== undefined && BETWEEN.has(last.text);
    const size = isBetween ? period - 1 : period;
    if (equal >= size && hasValue(tokens, index, size)) {
      folded.push(...tokens.slice(index, index + size));
      const repeats = Math.floor((equal + (isBetween ? 1 : 0)) / period);
      index += repeats * period + size;
      equal = 0;
    } else {
      const token = tokens[index];
      if (token !== undefined) folded.push(token);
      index += 1;
      equal = Math.max(0, equal - 1);
    }
  }
  return folded;
}

function areAlike(a: TemplateToken | undefined, b: TemplateToken | undefined): boolean {
  if (a === undefined || b === undefined || a.kind !== b.kind) return false;
  return a.kind === 'value' || a.text === b.text;
}

function hasValue(tokens: readonly TemplateToken[], start: number, count: number): boolean {
  for (let index = start; index < start + count; index++) if (tokens[index]?.kind === 'value') return true;
  return false;
}
