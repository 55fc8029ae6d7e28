import { PRIORITY_LEVELS, type PriorityLevel } from '../incidents/triage-words.ts';
import { isTagKey, TAG_PREFIX } from '../search/query-keys.ts';
import { OWNERSHIP_BYTES_MAX, OWNERSHIP_LINES_MAX } from './ownership-limits.ts';

/** The property with which a part of a line is compared. */
export type MatcherKind = (typeof KINDS)[number] | `tag.${string}`;

interface Matcher {
  kind: MatcherKind;
  glob: string;
}

/** A line that decides. Its parts must all match. */
export interface OwnerLine {
  /** From 1. */
  number: number;
  text: string;
  matchers: readonly Matcher[];
  /** The owners as written; empty: no one gets it. */
  owners: readonly string[];
  /** Given to incidents that have none of a person; null: none. */
  priority: PriorityLevel | null;
}

/** Why a text cannot be read. */
interface OwnershipFault {
  line: number;
  words: string;
}

const OWNERS_MAX = 5;
const GLOB_LENGTH_MAX = 500;
const KINDS = ['path', 'service', 'env', 'route', 'type', 'check', 'heartbeat'] as const;
const PRIORITY = 'priority=';
/** Marks of direction and of byte order, which come along when text is copied and are not seen. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** The number of approvals of a section, after its name. */
const APPROVALS = /^_(?:\[\d{1,4}\])?$/;

/**
 * Reads the ownership of a project (docs/contract/team-workflow.md 2.3). Files for CODEOWNERS of GitHub and GitLab can be
 * used unchanged: a line without owners and one with `none` give the incident to no one.
 */
export function readOwnership(text: string): { lines: OwnerLine[]; fault: OwnershipFault | null } {
  const fault = (line: number, words: string) => ({ lines: [], fault: { line, words } });
  if (new TextEncoder().encode(text).length > OWNERSHIP_BYTES_MAX)
    return fault(1, `the text has more than ${OWNERSHIP_BYTES_MAX} bytes`);
  const written = text.replace(DIRECTION, '').split(/\r?\n/);
  if (
    written.length > OWNERSHIP_LINES_MAX + 1 ||
    (written.length > OWNERSHIP_LINES_MAX && written.at(-1) !== '')
  )
    return fault(OWNERSHIP_LINES_MAX + 1, `there are more than ${OWNERSHIP_LINES_MAX} lines`);
  const lines: OwnerLine[] = [];
  let sectionOwners: readonly string[] = [];
  for (const [index, source] of written.entries()) {
    const heading = headingOwners(source);
    if (heading !== null) {
      sectionOwners = heading;
      continue;
    }
    const words = wordsOf(source);
    const [first] = words;
    if (first === undefined) continue;
    const number = index + 1;
    const matchers: Matcher[] = [];
    let at = 0;
    for (;;) {
      const matcher = matcherOf(isExclusion(words) ? first.slice(1) : (words[at] ?? ''));
      if (typeof matcher === 'string') return fault(number, matcher);
      matchers.push(matcher);
      at += 1;
      if (words[at] !== '&&') break;
      at += 1;
    }
    const owners = words.slice(at);
    const priority = priorityOf(owners);
    if (priority !== null && !isPriority(priority)) return fault(number, priority.words);
    const isNone = owners[0] === 'none' || isExclusion(words);
    const given = owners.length === 0 ? sectionOwners : owners;
    lines.push({ number, text: source.trim(), matchers, owners: isNone ? [] : given, priority });
  }
  return { lines, fault: null };
}

/**
 * Returns the owners that the heading of a section of GitLab, such as `^[Database][2] @dba`, gives to its lines without
 * owners; null for a line that is no heading.
 */
function headingOwners(line: string): readonly string[] | null {
  const text = line.trim();
  const end = text.indexOf(']');
  if (!(text.startsWith('[') || text.startsWith('^[')) || end === -1) return null;
  const [approvals = '', ...owners] = wordsOf(`_${text.slice(end + 1)}`);
  return APPROVALS.test(approvals) ? owners : null;
}

/** Returns true for what GitLab leaves out: `!` before a path, without owners. */
function isExclusion(words: readonly string[]): boolean {
  return words.length === 1 && words[0]?.startsWith('!') === true;
}

/** Takes the priority from the end of a line's owners; what is wrong with one that cannot be read. */
function priorityOf(owners: string[]): PriorityLevel | { words: string } | null {
  const at = owners.findIndex((word) => word.startsWith(PRIORITY));
  if (at === -1) return null;
  if (at < owners.length - 1) return { words: `${PRIORITY} is the last word of a line` };
  const written = owners.pop()?.slice(PRIORITY.length);
  return (
    PRIORITY_LEVELS.find((level) => level === written) ?? {
      words: `${PRIORITY} takes ${PRIORITY_LEVELS.join(', ')}`,
    }
  );
}

function isPriority(read: PriorityLevel | { words: string }): read is PriorityLevel {
  return typeof read === 'string';
}

/** The owners of a line that count. */
export function countedOwners({ owners }: OwnerLine): readonly string[] {
  return owners.slice(0, OWNERS_MAX);
}

/** Words of a line up to a comment. A backslash keeps a space, `#` or backslash in its word. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (letter === '\\' && at + 1 < line.length) {
      at += 1;
      word += line[at] ?? '';
    } else if (letter === '#' && word === '') break;
    else if (letter === ' ' || letter === '\t') {
      if (word !== '') words.push(word);
      word = '';
    } else word += letter;
  }
  if (word !== '') words.push(word);
  return words;
}

/** The matcher, or why there is none. */
function matcherOf(word: string): Matcher | string {
  if (word === '' || word === '&&') return 'a matcher is missing';
  const colon = word.indexOf(':');
  const before = colon === -1 ? '' : word.slice(0, colon);
  const tag = before.startsWith(TAG_PREFIX) ? before.slice(TAG_PREFIX.length) : null;
  const kind = tag !== null ? (`tag.${tag}` as const) : KINDS.find((each) => each === before);
  if (tag !== null && !isTagKey(tag)) return `${before} is not a tag`;
  const glob = kind === undefined ? word : word.slice(colon + 1);
  if (glob === '') return `a value is missing after ${before}:`;
  if (glob.length > GLOB_LENGTH_MAX) return `a matcher has more than ${GLOB_LENGTH_MAX} characters`;
  if (glob.startsWith('!')) return 'only a path without owners can be excluded with !';
  return { kind: kind ?? 'path', glob };
}
