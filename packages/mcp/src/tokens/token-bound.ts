import { ONE_TOKEN_WORDS } from './one-token-words.ts';

/**
 * An upper bound of the tokens of a text, because the exact tokenizer takes 113 MB and most of a second to load
 * (docs/contract/command-line.md 5.4). Measured with `o200k_base`, which `test/token-bound.test.ts` compares it with.
 */
export function tokenBound(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) tokens += boundOf(piece);
  return tokens;
}

/** Ids and encoded data; words; digits, which take no space before them; white space; punctuation; all beyond ASCII. */
const PIECE = /[A-Za-z0-9+/=_-]{16,}|[A-Z]*[a-z]+|[A-Z]+| ?[0-9]+|\s+|[!-/:-@[-`{-~]+|[^ -~\s]+/g;
/** Runs of punctuation that are one token. */
const ONE_TOKEN_RUNS = new Set(['...', '://', '":', '":"', '","', '()', '->', '=>', '--', '---', "'s"]);
const ENDINGS = new Set('s es d ed r er rs ers ing ion ions ly al ment able y'.split(' '));
const MIXED_PER_CHARACTER = 0.78;
const READABLE_PER_LETTER = 0.55;
const LETTERS_PER_LETTER = 0.8;
const DIGITS_PER_TOKEN = 3;

const utf8 = new TextEncoder();

function boundOf(piece: string): number {
  const first = piece.charCodeAt(0);
  if (first > 126) return utf8.encode(piece).length;
  if (piece.length >= 16 && /^[A-Za-z0-9+/=_-]+$/.test(piece)) return longRun(piece);
  if (isLetter(first)) return wordBound(piece);
  if (/[0-9]$/.test(piece)) {
    const digits = piece.trimStart();
    return piece.length - digits.length + Math.ceil(digits.length / DIGITS_PER_TOKEN);
  }
  // One space belongs to the word behind it.
  if (/^\s/.test(piece)) return piece === ' ' ? 0 : 1 + Math.floor(piece.length / 16);
  return ONE_TOKEN_RUNS.has(piece) ? 1 : piece.length;
}

/** A path or a long name is read by its words, everything else by its length. */
function longRun(run: string): number {
  const byLength = Math.ceil(run.length * MIXED_PER_CHARACTER);
  if (/[0-9]/.test(run) && /[A-Za-z]/.test(run) && !/^[a-z/_-]*[0-9]{0,4}$/i.test(run)) return byLength;
  let byWords = 0;
  for (const [part] of run.matchAll(/[A-Z]*[a-z]+|[A-Z]+|[0-9]+|[+/=_-]+/g)) {
    byWords += isLetter(part.charCodeAt(0)) ? wordBound(part) : part.length;
  }
  return byWords;
}

function wordBound(word: string): number {
  if (word.length < 3) return word.length;
  const lower = word.toLowerCase();
  if (ONE_TOKEN_WORDS.has(lower)) return 1;
  const byParts = partsOf(lower);
  if (byParts !== null) return byParts;
  const perLetter = isReadable(lower) ? READABLE_PER_LETTER : LETTERS_PER_LETTER;
  return Math.ceil(word.length * perLetter);
}

/** A known word and another one, or an ending, behind it; null when it is made otherwise. */
function partsOf(word: string): number | null {
  for (let length = word.length - 1; length >= 3; length -= 1) {
    if (!ONE_TOKEN_WORDS.has(word.slice(0, length))) continue;
    const rest = word.slice(length);
    if (ENDINGS.has(rest) || ONE_TOKEN_WORDS.has(rest)) return 2;
  }
  return null;
}

/** Vowels among the consonants, as in the words of most languages and unlike in random letters. */
function isReadable(word: string): boolean {
  return !/[bcdfghjklmnpqrstvwxz]{4}/.test(word) && !/[aeiouy]{4}/.test(word) && /[aeiouy]/.test(word);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
