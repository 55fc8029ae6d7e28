/** Longer keys are not kept: such texts are too rare to repeat. */
const KEY_CHARS_MAX = 65_536;
/** Bound on the keys of one generation, in UTF-16 units; what is kept for them may hold about as much text. */
const GENERATION_CHARS_MAX = 8_388_608;

/** Marks of keys met once, four bytes each; a mark that another key wrote over costs one more computation. */
const MARKS = 32_768;
/**
 * Characters that a mark takes from a text: all of a message or a short stack, which may differ in a digit alone. With 32
 * of a stack, a tenth more of an event's time went into fingerprints that were forgotten, with 10,000 kinds of errors.
 */
const MARKED_CHARS_MAX = 1024;
/** Keys of one mark that are kept; a further one takes the place of the oldest. */
const KEYS_OF_MARK_MAX = 4;

/** Texts, and which of them are missing, in their order. */
export type MemoryKey = readonly (string | null | undefined)[];

/** A bounded memory of what was made of recent texts. */
interface RecentMemory<Value> {
  /**
   * Returns the value that is kept for the key, else the result of `make`. The result is kept when the key, or one with
   * the same mark, is met for the second time: keys that never return would fill the memory with values that are never
   * read.
   * @param keep returns the value to keep instead of the result; called only then
   */
  recall(key: MemoryKey, make: () => Value, keep?: (made: Value) => Value): Value;
}

interface Entry<Value> {
  key: MemoryKey;
  value: Value;
}

/**
 * Keeps what is used and drops the rest, in two generations of at most `entriesMax` entries together. A key is found by
 * some of its characters and then compared: texts come from a parser each time, and to compare all of a text with
 * one takes a tenth of the time that it takes to hash it.
 */
export function createRecentMemory<Value>(entriesMax: number): RecentMemory<Value> {
  const generationMax = Math.floor(entriesMax / 2);
  let young = new Map<number, Entry<Value>[]>();
  let old = new Map<number, Entry<Value>[]>();
  let youngEntries = 0;
  let youngChars = 0;
  const marks = new Int32Array(MARKS);

  function isMetAgain(mark: number): boolean {
    const place = mark & (MARKS - 1);
    if (marks[place] === mark) return true;
    marks[place] = mark;
    return false;
  }

  function remember(mark: number, chars: number, entry: Entry<Value>): void {
    if (youngEntries >= generationMax || youngChars + chars > GENERATION_CHARS_MAX) {
      old = young;
      young = new Map();
      youngEntries = 0;
      youngChars = 0;
    }
    const entries = young.get(mark) ?? [];
    if (entries.length === 0) young.set(mark, entries);
    entries.push(entry);
    youngEntries += 1;
    youngChars += chars;
    if (entries.length <= KEYS_OF_MARK_MAX) return;
    const replaced = entries.shift();
    youngEntries -= 1;
    youngChars -= replaced === undefined ? 0 : charsOf(replaced.key);
  }

  return {
    recall(key, make, keep = (made) => made) {
      const chars = charsOf(key);
      if (chars > KEY_CHARS_MAX || generationMax < 1) return make();
      const mark = markOf(key);
      const recent = entryOf(key, young.get(mark));
      if (recent !== undefined) return recent.value;
      const known = entryOf(key, old.get(mark));
      if (known !== undefined) {
        remember(mark, chars, known);
        return known.value;
      }
      const made = make();
      if (isMetAgain(mark)) remember(mark, chars, { key: key.map(ownText), value: keep(made) });
      return made;
    },
  };
}

function entryOf<Value>(key: MemoryKey, entries: Entry<Value>[] | undefined): Entry<Value> | undefined {
  return entries?.find((entry) => isSameKey(entry.key, key));
}

function isSameKey(a: MemoryKey, b: MemoryKey): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    // One missing text is as good as another.
    if ((a[index] ?? null) !== (b[index] ?? null)) return false;
  }
  return true;
}

function charsOf(key: MemoryKey): number {
  let chars = 0;
  for (const text of key) chars += text?.length ?? 0;
  return chars;
}

/** A copy: the text may be a part of a much longer one, which would stay with it. */
function ownText(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : (JSON.parse(JSON.stringify(text)) as string);
}

/** 32 bits of a key (FNV-1a), of the lengths of its texts and of some of their characters; never 0. */
function markOf(key: MemoryKey): number {
  let mark = 0x811c9dc5;
  for (const text of key) {
    if (text === null || text === undefined) {
      mark = Math.imul(mark ^ 0xffff, 0x01000193);
      continue;
    }
    const { length } = text;
    mark = Math.imul(mark ^ length, 0x01000193);
    const step = Math.ceil(length / MARKED_CHARS_MAX);
    // From the end: the last character is always among them.
    for (let index = length - 1; index >= 0; index -= step) {
      mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193);
    }
  }
  return mark | 1;
}
