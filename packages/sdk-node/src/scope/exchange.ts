/** A request and its response, as a scope sees them. Nothing is copied before an event needs it. */
export interface Exchange {
  readonly method: string;
  /** Path and query as they arrived: frameworks rewrite the request's own. */
  readonly target: string;
  readonly startedAtMs: number;
  requestHeader(name: string): string | null;
  requestHeaders(): object;
  /** Returns true if the answer has started, so that its status no longer depends on failures. */
  isAnswering(): boolean;
  /** Releases the host's request, and keeps the facts that a later error of its work needs. */
  release(): void;
}

const MAX_HEADERS = 64;
const MAX_HEADER_CHARS = 1_024;
/** `X-Forwarded-For`, `CF-Connecting-IP` and the like: of a user only the id leaves. */
const CLIENT_ADDRESS =
  /^(?:x-(?:original-)?)?forwarded(?:-for)?$|(?:real|client|connecting|user|remote|external)-?(?:ip(?:v6)?|addr(?:ess)?)$/i;
const MAX_QUERY = 64;
const MAX_PATH_CHARS = 4_096;

/** The path without query and origin. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  const rest = /^https?:\/\/[^/]{0,1000}(.*)$/s.exec(path);
  return ((rest === null ? path : rest[1]) || '/').slice(0, MAX_PATH_CHARS);
}

/** The query as a map; a repeated name has a list. */
export function queryOf(target: string): Record<string, string | string[]> {
  const start = target.indexOf('?');
  if (start < 0) return {};
  const query = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(target.slice(start + 1, start + 1 + MAX_PATH_CHARS))) {
    const known = query.get(name);
    if (known === undefined && query.size >= MAX_QUERY) break;
    query.set(name, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(query);
}

/** Headers of Node or of a fetch-style request as a bounded map, names in lower case, without addresses of clients. */
export function boundedHeaders(headers: object): Record<string, string> {
  const entries =
    typeof Reflect.get(headers, 'forEach') === 'function' ? fetchEntries(headers) : Object.entries(headers);
  const bounded: [string, string][] = [];
  for (const [name, value] of entries) {
    if (bounded.length === MAX_HEADERS) break;
    if (CLIENT_ADDRESS.test(name)) continue;
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    if (value !== undefined && value !== null)
      bounded.push([name.toLowerCase(), text.slice(0, MAX_HEADER_CHARS)]);
  }
  return Object.fromEntries(bounded);
}

function fetchEntries(headers: object): [string, unknown][] {
  const forEach: unknown = Reflect.get(headers, 'forEach');
  const entries: [string, unknown][] = [];
  if (typeof forEach === 'function') {
    Reflect.apply(forEach, headers, [(value: unknown, name: unknown) => entries.push([String(name), value])]);
  }
  return entries;
}

/** A folder in parentheses, as of SvelteKit, which is in no path. */
const GROUP = /(^|\/)\([\w -]+\)(?=\/|$)/g;
const OPTIONAL = /^\[\[|\?$/;
const REST = /^(?:\[\.\.\.|[{(]?\.?\*)/;

/**
 * The template when it fits the path: as many segments, or a wildcard. Half a template, as Express leaves it on errors,
 * would group wrongly (docs/contract/clients.md 4.3), and a wildcard alone would make one route of all pages.
 */
export function fittingTemplate(template: string | null, path: string): string | null {
  if (template === null || template === '' || template.length > 1_000) return null;
  const bare = template.replace(GROUP, '');
  const segments = segmentsOf(bare);
  const required = segments.filter((segment) => !OPTIONAL.test(segment) && !REST.test(segment)).length;
  const asked = segmentsOf(path).length;
  const isOpen = bare.includes('*') || segments.some((segment) => REST.test(segment));
  const fits = isOpen ? required > 0 : asked >= required && asked <= segments.length;
  if (!fits) return null;
  return bare.startsWith('/') ? bare : `/${bare}`;
}

function segmentsOf(text: string): string[] {
  return text.split('/').filter((part) => part !== '');
}
