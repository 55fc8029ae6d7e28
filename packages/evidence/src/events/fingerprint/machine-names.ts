import { MADE_NAMES, MAY_BE_MADE } from './made-names.ts';
import { oddness } from './odd-letters.ts';

/**
 * Takes out of names what a machine put in: hashes of builds, ids of runs, numbers of compilers (docs/contract/grouping.md
 * 4). One cleaner for files, modules and functions of every language. Its result is compared and never shown.
 */

/** The replacement of a name of which nothing is left. */
const NOTHING_LEFT = '*';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/**
 * An address after a plus stays: there it is a place in a build and the only difference between two functions of a
 * stripped program.
 */
const PLACE_IN_BUILD = /\+0x[0-9a-f]{1,16}$/i;
const ADDRESS = /(?<![\da-z+])0x[0-9a-f]{2,16}/gi;
const SEPARATORS_AT_END = /[\s_.$@#~*-]{1,40}$/;

/** The name of a function, a type or a directory. */
export function cleanName(name: string): string {
  if (!MAY_BE_MADE.test(name)) return name;
  const place = name.includes('+0x') ? PLACE_IN_BUILD.exec(name) : null;
  if (place !== null && place.index > 0) return cleanName(name.slice(0, place.index)) + place[0];
  let clean = name;
  for (const [made, instead] of MADE_NAMES) clean = clean.replace(made, instead);
  if (HAS_DIGIT.test(clean)) clean = withoutIds(clean).replace(WORD, cleanWord);
  if (clean === name) return name;
  return clean.replace(SEPARATORS_AT_END, '') || NOTHING_LEFT;
}

/** The last segment of a path. */
export function cleanFileName(base: string, odd: OddEnough = ODD_ANYWHERE): string {
  if (base.startsWith('<')) return base.replace(DIGITS_OF_WORD, NOTHING_LEFT);
  if (base.includes('-') && base.search(UUID) !== -1)
    return cleanFileName(base.replace(UUID, NOTHING_LEFT), odd);
  const extension = BUNDLE_EXTENSION.exec(base)?.[0] ?? '';
  const last = extension.slice(extension.lastIndexOf('.'));
  const whole = base.slice(0, base.length - extension.length);
  const stem = isTemporary(whole) ? `tmp${NOTHING_LEFT}` : withoutBuildMarks(whole, odd);
  return `${stem === '' ? NOTHING_LEFT : cleanName(stem)}${last}`;
}

/** A directory of a path. */
export function cleanDirectory(segment: string): string {
  if (!HAS_DIGIT.test(segment) && !segment.startsWith('tmp')) return segment;
  if (BUILD_DIRECTORY.test(segment)) return NOTHING_LEFT;
  const made = MADE_DIRECTORY.exec(segment);
  if (made !== null) return `${made[1]}${NOTHING_LEFT}`;
  if (isTemporary(segment)) return `tmp${NOTHING_LEFT}`;
  const named = segment.replace(UUID, NOTHING_LEFT).replace(VERSION_AT_END, '');
  return cleanName(withoutBuildMarks(named, ODD_ANYWHERE) || NOTHING_LEFT);
}

const HAS_DIGIT = /\d/;
const WORD = /[\p{L}\p{N}]+/gu;
const DIGITS_OF_WORD = /[\da-z]{0,64}\d[\da-z]*/gi;

const BUILD_DIRECTORY =
  /^(?:\d+|v?\d+(?:\.\d+)+|[0-9a-f]{7,64}|(?:release|build|deploy)[-_.]?\d+(?:\.\d+)*)$/i;
/** Directories and files of one run, by the names that tools give them. */
const MADE_DIRECTORY =
  /^(ipykernel_|pytest-|test_\w{1,200}?(?=\d{1,3}$)|tmp\.|pip-[a-z]{1,20}-|npx-|_MEI)\w{1,40}$/;
const VERSION_AT_END = /(?<=[\w*])[-_@]v?\d{1,6}(?:\.\d{1,6}){1,3}$/i;
const TEMPORARY = /^tmp[-_.]?([\da-z_]{5,12})$/i;

/** `tmpab12cd`, and no `tmpfiles`. */
function isTemporary(name: string): boolean {
  const drawn = name.startsWith('tmp') ? (TEMPORARY.exec(name)?.[1] ?? '') : '';
  return oddness(drawn) >= (HAS_DIGIT.test(drawn) ? 2 : 3);
}

const BUNDLE_EXTENSION =
  /(?:\.(?:chunk|min|bundle|esm|umd|iife|prod|production|module|es\d{1,4}|part))?\.[a-z]{1,10}$/i;

/** Marks of a build at the end of one name, at most: `1234-0123456789abcdef`, `cart_1a2b3c._`. */
const MARKS_MAX = 3;

/** The name of a file or directory without its extension and without what changes with each build; empty if that is all. */
function withoutBuildMarks(name: string, odd: OddEnough): string {
  let stem = name;
  for (let count = 0; count < MARKS_MAX; count++) {
    const shorter = withoutMark(stem, odd);
    if (shorter === stem) break;
    stem = shorter;
  }
  return stem;
}

const MARK_CHARS = 8;
const NUMBERED_CHUNK = /^(?:.*\.js_|chunk[-_.]?|ipython-input-)\d{1,9}$/i;

function withoutMark(stem: string, odd: OddEnough): string {
  if (stem === '') return stem;
  // Turbopack ends its names like this.
  const isSealed = stem.endsWith('._');
  const name = isSealed ? stem.slice(0, -2) : stem;
  if (isMark(name, odd.alone) && !isNumbered(name)) return '';
  if (NUMBERED_CHUNK.test(name)) return name.replace(/[-_.]?\d{1,9}$/, '');
  // Eight characters first: their alphabet holds the separators.
  const eight = name.length - MARK_CHARS;
  if (eight > 0 && isBuildMark(name, eight, odd, isSealed)) return name.slice(0, eight - 1);
  const cut = lastSeparator(name);
  return cut >= 0 && isBuildMark(name, cut + 1, odd, isSealed) ? name.slice(0, cut) : name;
}

function lastSeparator(text: string): number {
  return Math.max(text.lastIndexOf('-'), text.lastIndexOf('.'), text.lastIndexOf('_'), text.lastIndexOf('~'));
}

/** The oddness from which eight characters count as a hash: alone, and after an underscore. */
export interface OddEnough {
  alone: number;
  behindUnderscore: number;
}

const ODD_BEHIND_DASH = 2;
const ODD_BEHIND_UNDERSCORE = 4;
export const ODD_ANYWHERE: OddEnough = { alone: 5, behindUnderscore: ODD_BEHIND_UNDERSCORE };

function isBuildMark(name: string, start: number, odd: OddEnough, isSealed: boolean): boolean {
  const separator = name.charAt(start - 1);
  const tail = name.slice(start);
  if (separator === '_') return isMark(tail, odd.behindUnderscore) && (isSealed || !isNumbered(tail));
  if (separator !== '-' && separator !== '.' && separator !== '~') return false;
  return isMark(tail, ODD_BEHIND_DASH) || isHashOfBundler(name.slice(0, start - 1), tail);
}

/** A hash behind what bundlers call their files, or one in capitals behind a name in small letters, unless it is a word. */
function isHashOfBundler(name: string, tail: string): boolean {
  if (tail.length !== MARK_CHARS) return false;
  const isNamed = NAME_OF_BUNDLER.test(name);
  if (isNamed && HAS_DIGIT.test(tail) && /^[\w-]+$/.test(tail)) return true;
  return (
    /^[A-Z2-7]+$/.test(tail) && /[a-z]/.test(name) && (isNamed || HAS_DIGIT.test(tail) || oddness(tail) > 0)
  );
}

const NAME_OF_BUNDLER = /^(?:chunk|main|polyfills|scripts|styles)$/;

const HEX = /^(?:[0-9a-f]{5,128}|[0-9A-F]{5,128})$/;
/** A word with a number: `face2`, `decade12`. */
const NUMBERED_WORD = /^[a-f]{4,6}\d{1,2}$/i;
/** `canvas2d`, `s3client`, `IndexOf8`: words with one number. */
const WORD_WITH_NUMBER =
  /^(?:[A-Z]?[a-z]+\d{1,3}[A-Z]?[a-z]+|(?:[A-Z]?[a-z]{2,}(?:[A-Z][a-z]+)*|[A-Z]{2,})\d{1,4})$/;
const MIXED = /^[\w-]{8,64}$/;

function isMark(text: string, oddnessMin: number): boolean {
  if (HEX.test(text)) return HAS_DIGIT.test(text) && !NUMBERED_WORD.test(text) && !isYear(text);
  if (!MIXED.test(text)) return false;
  if (text.length === MARK_CHARS)
    return oddness(text) >= (WORD_WITH_NUMBER.test(text) ? Math.max(oddnessMin, 3) : oddnessMin);
  // Longer ones have more of everything, and a separator in them is one of words.
  return (
    /^[\da-z]+$/i.test(text) &&
    /\d|[a-z][A-Z]/.test(text) &&
    oddness(text) * 5 >= (text.length - 1) * (oddnessMin === ODD_BEHIND_DASH ? 2 : 3)
  );
}

/** `ed448`, `deb822`: letters with one number behind them. */
function isNumbered(text: string): boolean {
  return text.length < MARK_CHARS && /^[a-z]{2,6}\d{1,5}$/i.test(text);
}

function isYear(text: string): boolean {
  return /^(?:19|20)\d\d(?:[01]\d(?:[0-3]\d)?)?$/.test(text) && text.length < 8;
}

function withoutIds(name: string): string {
  return name.replace(UUID, NOTHING_LEFT).replace(ADDRESS, NOTHING_LEFT);
}

/** The words before a number that is the name of a standard, an encoding or a port. */
const NUMBERED_THING =
  /(?:ed|curve|rfc|iso|iec|ieee|ecma|ansi|din|cp|gb|ibm|windows|port|localhost|sha|ksc?|jis|ecelp|es|v|x)[_-]?$/i;
const LONG_NUMBER = /\d{4,}/g;

function cleanWord(word: string, at: number, name: string): string {
  if (!HAS_DIGIT.test(word)) return word;
  const before = at === 0 ? '' : name.charAt(at - 1);
  if (isHexWord(word)) return NOTHING_LEFT;
  if (word.length >= MARK_CHARS && /^[\da-z]+$/i.test(word) && !WORD_WITH_NUMBER.test(word)) {
    const isApart = SEPARATED.test(before);
    if (oddness(word) >= Math.max(isApart ? ODD_BEHIND_UNDERSCORE : ODD_IN_CODE, word.length / 2)) {
      return NOTHING_LEFT;
    }
  }
  return word.replace(LONG_NUMBER, (digits, index: number) =>
    isKnownNumber(digits, `${name.slice(Math.max(0, at - 12), at)}${word.slice(0, index)}`)
      ? digits
      : NOTHING_LEFT,
  );
}

const SEPARATED = /[_.$@#-]/;
const ODD_IN_CODE = 5;

/** A number of four digits stays behind a letter, and one that is a year stays anywhere. */
function isKnownNumber(digits: string, before: string): boolean {
  if (digits.length > 8 || /^[01]+$/.test(digits)) return digits.length <= 8;
  if (digits.length === 4 && (isYear(digits) || /\p{L}$/u.test(before))) return true;
  return digits.length <= 6 && NUMBERED_THING.test(before);
}

/** Hex digits that no name of code is: `d3d11` and `bcd2dec` are names. */
function isHexWord(word: string): boolean {
  if (!HEX.test(word) || !/[a-f]/i.test(word)) return false;
  const digits = word.replace(/\D/g, '').length;
  let changes = 0;
  for (let index = 1; index < word.length; index++) {
    if (HAS_DIGIT.test(word.charAt(index)) !== HAS_DIGIT.test(word.charAt(index - 1))) changes += 1;
  }
  return (word.length > 5 && changes >= 3) || (word.length >= MARK_CHARS && (changes >= 2 || digits >= 3));
}
