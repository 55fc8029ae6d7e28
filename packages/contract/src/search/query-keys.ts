import { SEVERITIES } from '../incidents/severities.ts';
import { PRIORITY_LEVELS } from '../incidents/triage-words.ts';

/** The keys of the query language and their values (docs/contract/team-workflow.md 1.1). */

/** The forms in which the values of a key are read. */
type QueryValues =
  /** A closed list of words. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Words in rising order, also with `>`, `>=`, `<` and `<=`. */
  | { readonly kind: 'ordered'; readonly words: readonly string[] }
  | { readonly kind: 'number' }
  /** A time or an age. */
  | { readonly kind: 'time' }
  /** An exact text; `*` at its end means every text that begins so. */
  | { readonly kind: 'name' }
  /** A text in which `*` matches any letters. */
  | { readonly kind: 'glob' }
  | { readonly kind: 'text' };

interface QueryKey {
  readonly values: QueryValues;
  /** Shown beside the key where it is proposed. */
  readonly hint: string;
}

/** The values of `is:`. */
const IS_WORDS = [
  'open',
  'resolved',
  'regressed',
  'active',
  'snoozed',
  'assigned',
  'unassigned',
  'mine',
  'new',
  'spiking',
  'linked',
  'unlinked',
  'noted',
  'fixed',
  'sample',
] as const;

/** Every key but those that begin with `tag.`. */
export const QUERY_KEYS = {
  is: { values: { kind: 'words', words: IS_WORDS }, hint: 'State' },
  severity: { values: { kind: 'ordered', words: SEVERITIES }, hint: 'Severity, also >=high' },
  priority: {
    values: { kind: 'ordered', words: PRIORITY_LEVELS },
    hint: 'Priority, also >=high',
  },
  assignee: { values: { kind: 'text' }, hint: 'Address, handle or team, me or none' },
  team: { values: { kind: 'text' }, hint: 'Assigned team' },
  service: { values: { kind: 'name' }, hint: 'Service' },
  env: { values: { kind: 'name' }, hint: 'Environment' },
  project: { values: { kind: 'name' }, hint: 'Project' },
  release: { values: { kind: 'name' }, hint: 'Release, also first:1.4.2 or latest:1.4.2' },
  user: { values: { kind: 'text' }, hint: 'Id of a user' },
  type: { values: { kind: 'glob' }, hint: 'Type of the error' },
  message: { values: { kind: 'text' }, hint: 'Part of a message' },
  title: { values: { kind: 'text' }, hint: 'Part of the title' },
  file: { values: { kind: 'glob' }, hint: 'File in the stack' },
  function: { values: { kind: 'glob' }, hint: 'Function in the stack' },
  route: { values: { kind: 'glob' }, hint: 'Route of the request' },
  http: { values: { kind: 'text' }, hint: 'Status of the response, also 5xx' },
  kind: {
    values: {
      kind: 'words',
      words: ['backend_exception', 'frontend_exception', 'request_failure', 'error_log', 'heartbeat'],
    },
    hint: 'Kind of failure',
  },
  trust: {
    values: { kind: 'words', words: ['browser', 'server', 'mixed'] },
    hint: 'Possible senders of the events',
  },
  count: { values: { kind: 'number' }, hint: 'Number of events, such as >100' },
  users: { values: { kind: 'number' }, hint: 'Number of affected users, such as >10' },
  first_seen: { values: { kind: 'time' }, hint: 'First event, such as <24h or >2026-03-24' },
  last_seen: { values: { kind: 'time' }, hint: 'Latest event, such as <1h' },
  id: { values: { kind: 'text' }, hint: 'Id of the incident' },
  ticket: { values: { kind: 'name' }, hint: 'Key or address of a ticket, such as ENG-123' },
  fingerprint: { values: { kind: 'text' }, hint: 'First 8 or more digits of the fingerprint' },
} as const satisfies Record<string, QueryKey>;
export type QueryKeyName = keyof typeof QUERY_KEYS;

export const QUERY_KEY_NAMES = Object.keys(QUERY_KEYS) as QueryKeyName[];

/** The beginning of a key that names a tag. */
export const TAG_PREFIX = 'tag.';
const TAG_KEY = /^[A-Za-z0-9_.-]{1,64}$/;

/** Returns true if a text can be the key of a tag. */
export function isTagKey(text: string): boolean {
  return TAG_KEY.test(text);
}

export function isQueryKey(text: string): text is QueryKeyName {
  return Object.hasOwn(QUERY_KEYS, text);
}

/** Names that other products give to keys. */
const OTHER_NAMES: Readonly<Record<string, QueryKeyName>> = {
  assigned: 'assignee',
  owner: 'assignee',
  environment: 'env',
  events: 'count',
  first: 'first_seen',
  issue: 'ticket',
  last: 'last_seen',
  level: 'severity',
  status: 'is',
  transaction: 'route',
  'user.id': 'user',
};

/** The key that a word before a colon was probably meant to be; null where none is near. */
export function nearestKey(word: string): QueryKeyName | null {
  const lower = word.toLowerCase();
  if (isQueryKey(lower)) return lower;
  const other = Object.hasOwn(OTHER_NAMES, lower) ? OTHER_NAMES[lower] : undefined;
  if (other !== undefined) return other;
  if (lower.length < 3) return null;
  const limit = lower.length < 6 ? 1 : 2;
  const near = QUERY_KEY_NAMES.map((key) => ({ key, steps: editSteps(lower, key, limit) }))
    .filter(({ steps }) => steps <= limit)
    .toSorted((a, b) => a.steps - b.steps);
  return near[0]?.key ?? null;
}

/** Letters to add, remove, replace or swap with the next one; more than `limit` counts as one more. */
function editSteps(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      let steps = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        steps = Math.min(steps, (before[j - 2] ?? 0) + 1);
      }
      next.push(steps);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? limit + 1;
}
