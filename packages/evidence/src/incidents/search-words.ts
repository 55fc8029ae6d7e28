/** Words of texts as incidents are searched by them (docs/contract/team-workflow.md 1.2). */

const WORD_CHARS_MIN = 2;
const WORD_CHARS_MAX = 64;
const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;
/** Before an upper-case letter that follows a lower-case one, and between `HTTP` and `Server`. */
const CASE_CHANGE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const ADDRESS = /[^\s@<>"',;]{1,64}@[^\s@<>"',;]{1,255}/g;
/** The searched part of a text; longer text repeats its content. */
const SEARCHED_CHARS = 4_096;

/** The words of a text and of its names, in lower case, each once; addresses of people are none. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  const read = text.slice(0, SEARCHED_CHARS);
  for (const [token] of (read.includes('@') ? read.replace(ADDRESS, ' ') : read).matchAll(TOKEN)) {
    addWord(words, token);
    for (const part of token.split(CASE_CHANGE)) addWord(words, part);
  }
  return [...words];
}

/** The beginnings of words that a word of a search names: all of them must be there. */
export function beginningsOf(text: string): string[] {
  return [...text.matchAll(TOKEN)].flatMap(([token]) => {
    const word = plain(token);
    return word.length < WORD_CHARS_MIN ? [] : [word];
  });
}

function addWord(words: Set<string>, text: string): void {
  const word = plain(text);
  if (word.length >= WORD_CHARS_MIN) words.add(word);
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().slice(0, WORD_CHARS_MAX);
}

/** The parts of a text that begin where a segment, a name or a word does, in lower case, the whole first. */
export function endingsOf(text: string, boundary: RegExp, limit: number): string[] {
  const whole = text.toLowerCase().slice(0, ENDING_CHARS_MAX);
  const endings = new Set([whole]);
  for (const { index } of text.slice(0, ENDING_CHARS_MAX).matchAll(boundary)) {
    if (endings.size >= limit) break;
    const ending = whole.slice(index);
    if (ending !== '') endings.add(ending);
  }
  return [...endings];
}

const ENDING_CHARS_MAX = 300;
