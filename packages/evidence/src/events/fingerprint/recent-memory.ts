import { hash } from 'node:crypto';

/** Longer keys are not kept: such texts are too rare to repeat. */
const KEY_CHARS_MAX = 65536;
/** V8 hashes a longer string by its length alone, so that many of one length would fall into one bucket. */
const PLAIN_KEY_CHARS_MAX = 16000;
/** Bound on the keys of one generation, in UTF-16 units; what is kept for them may hold about as much text. */
const GENERATION_CHARS_MAX = 8_388_608;

/** Marks of keys met once, four bytes each; a mark that another key wrote over costs one more computation. */
const MARKS = 32_768;

/** A bounded memory of what was made of recent texts. */
export interface RecentMemory<Value> {
  /**
   * What is kept for the text, else what `make` makes of it. That is kept when the text is met for the second time:
   * those that never come again would fill the memory with what nobody asks for.
   * @param keep what to keep instead of what was made, asked only then
   */
  recall(text: string, make: () => Value, keep?: (made: Value) => Value): Value;
}

/** Keeps what is used and forgets the rest, in two generations of at most `entriesMax` entries together. */
export function createRecentMemory<Value>(entriesMax: number): RecentMemory<Value> {
  const generationMax = Math.floor(entriesMax / 2);
  let young = new Map<string, { value: Value }>();
  let old = new Map<string, { value: Value }>();
  let youngChars = 0;
  const marks = new Int32Array(MARKS);

  function isMetAgain(key: string): boolean {
    const mark = markOf(key);
    const place = mark & (MARKS - 1);
    if (marks[place] === mark) return true;
    marks[place] = mark;
    return false;
  }

  function remember(key: string, chars: number, entry: { value: Value }): void {
    if (young.size >= generationMax || youngChars + chars > GENERATION_CHARS_MAX) {
      old = young;
      young = new Map();
      youngChars = 0;
    }
    young.set(key, entry);
    youngChars += chars;
  }

  return {
    recall(text, make, keep = (made) => made) {
      if (text.length > KEY_CHARS_MAX || generationMax < 1) return make();
      const key = text.length > PLAIN_KEY_CHARS_MAX ? hash('sha256', text, 'base64') : text;
      const recent = young.get(key);
      if (recent !== undefined) return recent.value;
      const known = old.get(key);
      if (known !== undefined) {
        remember(key, text.length, known);
        return known.value;
      }
      const made = make();
      if (isMetAgain(key)) remember(key, text.length, { value: keep(made) });
      return made;
    },
  };
}

/** 32 bits of a key (FNV-1a); never 0, which marks an empty place. */
function markOf(key: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    mark = Math.imul(mark ^ key.charCodeAt(index), 0x01000193);
  }
  return mark | 1;
}
