import { messageTemplate } from '../events/fingerprint/template/message-template.ts';
import { endingsOf, wordsOf } from './search-words.ts';

/** The facts by which incidents are found besides their columns (docs/contract/team-workflow.md 1.2). */

/** Distinct messages that are kept: the first and the latest ones. */
export const MESSAGES_MAX = 8;
export const MESSAGE_CHARS_MAX = 300;
const WORDS_MAX = 400;
const ENDINGS_MAX = 8;
const RELEASES_MAX = 30;

export interface SearchFacts {
  title: string;
  service: string;
  environment: string;
  /** The kind in `incident_reason`. */
  kind: string;
  types: readonly string[];
  functions: readonly string[];
  files: readonly string[];
  /** The first and the latest ones, in lower case. */
  messages: readonly string[];
  /** Values of tags; routes, statuses and releases are among them. */
  tagValues: readonly string[];
  routes: readonly string[];
  statuses: readonly string[];
  /** In the order in which they appeared. */
  releases: readonly string[];
}

/** The kinds of facts that are found by themselves. */
export type FactKind =
  | 'service'
  | 'environment'
  | 'kind'
  | 'type'
  | 'whole_type'
  | 'function'
  | 'file'
  | 'extension'
  | 'route'
  | 'status'
  | 'release'
  | 'first_release'
  | 'latest_release';

const MARKS: Readonly<Record<FactKind, string>> = {
  service: 's',
  environment: 'e',
  kind: 'k',
  type: 't',
  whole_type: 'T',
  function: 'f',
  file: 'p',
  extension: 'x',
  route: 'o',
  status: 'h',
  release: 'r',
  first_release: 'F',
  latest_release: 'L',
};

/**
 * Returns the scope of a project, so that the words of one are not among those of another; the requested incidents
 * decide.
 */
export function searchScope(projectId: string): string {
  return projectId.slice(-6);
}

export function wordLexeme(scope: string, word: string): string {
  return `${scope} ${word}`;
}

const FACT_CHARS_MAX = 400;

export function factLexeme(scope: string, kind: FactKind, value: string): string {
  return `${scope}${MARKS[kind]}:${value.slice(0, FACT_CHARS_MAX)}`;
}

/** The starts of the parts of a file, a route, a function or a type that people name. */
const BOUNDARY = {
  file: /(?<=[/\\])(?=[^/\\])/g,
  route: /(?=\/)(?<=.)/g,
  function: /(?<=[^\p{L}\p{N}_$])(?=[\p{L}\p{N}_$])/gu,
  type: /(?<=[^\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu,
} as const satisfies Partial<Record<FactKind, RegExp>>;

const EXTENSION = /\.([a-z0-9]{1,12})$/;

/** Everything by which an incident is found through one index. */
export function searchLexemes(scope: string, facts: SearchFacts): string[] {
  const lexemes = new Set<string>();
  const add = (kind: FactKind, value: string) => lexemes.add(factLexeme(scope, kind, value));
  add('service', facts.service);
  add('environment', facts.environment);
  add('kind', facts.kind);
  for (const type of facts.types) {
    add('whole_type', type);
    for (const ending of endingsOf(type, BOUNDARY.type, ENDINGS_MAX)) add('type', ending);
  }
  for (const name of facts.functions) {
    for (const ending of endingsOf(name, BOUNDARY.function, ENDINGS_MAX)) add('function', ending);
  }
  for (const file of facts.files) {
    for (const ending of endingsOf(file, BOUNDARY.file, ENDINGS_MAX)) add('file', ending);
    const extension = EXTENSION.exec(file.toLowerCase())?.[1];
    if (extension !== undefined) add('extension', extension);
  }
  for (const route of facts.routes) {
    for (const ending of endingsOf(route, BOUNDARY.route, ENDINGS_MAX)) add('route', ending);
  }
  for (const status of facts.statuses) add('status', status);
  for (const release of facts.releases) add('release', release);
  const [first] = facts.releases;
  const latest = facts.releases.at(-1);
  if (first !== undefined) add('first_release', first);
  if (latest !== undefined) add('latest_release', latest);
  let words = 0;
  for (const text of textsOf(facts)) {
    for (const word of wordsOf(text)) {
      if (words >= WORDS_MAX) return [...lexemes];
      const before = lexemes.size;
      lexemes.add(wordLexeme(scope, word));
      if (lexemes.size > before) words += 1;
    }
  }
  return [...lexemes];
}

/** The most distinctive texts come first, because words are limited. */
function textsOf(facts: SearchFacts): string[] {
  const { title, types, functions, files, routes, service, messages, tagValues } = facts;
  return [title, ...types, ...functions, ...files, ...routes, service, ...messages, ...tagValues];
}

/** The first message and the latest ones, each once; the same list where nothing is new. */
export function keptMessages(before: readonly string[], added: readonly string[]): readonly string[] {
  const fresh = added.filter((message) => message !== '' && !before.includes(message));
  if (fresh.length === 0) return before;
  const all = [...new Set([...before, ...fresh])];
  return all.length <= MESSAGES_MAX ? all : [...all.slice(0, 1), ...all.slice(1 - MESSAGES_MAX)];
}

/** Returns true if messages add to those that are kept: a new text while there is room, else a text of another form. */
export function tellsMore(kept: readonly string[], added: readonly string[]): boolean {
  const fresh = added.filter((message) => message !== '' && !kept.includes(message));
  if (fresh.length === 0 || kept.length < MESSAGES_MAX) return fresh.length > 0;
  const forms = new Set(kept.map((message) => messageTemplate(message, '')));
  return fresh.some((message) => !forms.has(messageTemplate(message, '')));
}

/** The first release and the latest ones, in the order in which they appeared; the same list where none is new. */
export function keptReleases(before: readonly string[], added: readonly string[]): readonly string[] {
  const fresh = added.filter((release) => !before.includes(release));
  if (fresh.length === 0) return before;
  const all = [...new Set([...before, ...fresh])];
  return all.length <= RELEASES_MAX ? all : [...all.slice(0, 1), ...all.slice(1 - RELEASES_MAX)];
}
