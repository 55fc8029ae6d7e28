import { MENTIONS_MAX } from '@culprit/contract/incidents/triage-words';

/** A handle as a note writes it, and where. */
interface NamedHandle {
  /** In lower case, the longest first: the end of a handle can be the end of a sentence. */
  handles: readonly [string, ...string[]];
  /** The position of `@`, in UTF-16 units. */
  offset: number;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const HANDLE = /@([a-z0-9][a-z0-9._-]{1,38})/gi;
/** The characters that can end a sentence or a pair of brackets rather than a handle. */
const ENDS = new Set(['.', '_', '-']);
/** The characters before `@` in an address or a path. */
const PART_OF_WORD = /[\w./-]/;

/** The first handles that a note names outside of code (docs/contract/team-workflow.md 4). */
export function findHandles(body: string): NamedHandle[] {
  const found: NamedHandle[] = [];
  let offset = 0;
  let isFenced = false;
  for (const line of body.split('\n')) {
    if (FENCE.test(line)) isFenced = !isFenced;
    else if (!isFenced) found.push(...handlesIn(withoutCode(line), offset));
    offset += line.length + 1;
  }
  return found.slice(0, MENTIONS_MAX);
}

/** The line with spaces in place of code spans. */
function withoutCode(line: string): string {
  const parts = line.split('`');
  // A last quote without its partner quotes nothing.
  const lastCode = parts.length % 2 === 0 ? parts.length - 2 : parts.length - 1;
  return parts.map((part, n) => (n % 2 === 1 && n <= lastCode ? ' '.repeat(part.length) : part)).join(' ');
}

function handlesIn(line: string, lineOffset: number): NamedHandle[] {
  return [...line.matchAll(HANDLE)].flatMap(({ index, 1: text = '' }) => {
    if (index > 0 && PART_OF_WORD.test(line[index - 1] ?? '')) return [];
    const whole = text.toLowerCase();
    const shorter: string[] = [];
    for (let end = whole.length; end > HANDLE_CHARS_MIN && ENDS.has(whole[end - 1] ?? ''); end -= 1)
      shorter.push(whole.slice(0, end - 1));
    return [{ handles: [whole, ...shorter], offset: lineOffset + index }];
  });
}

const HANDLE_CHARS_MIN = 2;
