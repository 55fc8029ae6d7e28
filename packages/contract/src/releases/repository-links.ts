import type { DebugBundle } from '../incidents/bundle.ts';

/** Products whose addresses of lines, commits and comparisons are known; `template` is any other. */
export const REPOSITORY_KINDS = ['github', 'gitlab', 'bitbucket', 'gitea', 'azure', 'template'] as const;
export type RepositoryKind = (typeof REPOSITORY_KINDS)[number];

export const REPOSITORIES_MAX = 20;
export const REPOSITORY_URL_LENGTH_MAX = 500;
/** Folders below each other, none of which leads upwards. */
export const REPOSITORY_FOLDER_PATTERN = '^\\.?[\\w@+-][\\w.@+-]*(?:/\\.?[\\w@+-][\\w.@+-]*)*$';

/** A repository with the code of services, for links (docs/contract/incidents.md 7.7). */
export interface Repository {
  kind: RepositoryKind;
  /** The URL of the repository; for a template, a URL with `{commit}`, `{path}` and `{line}`. */
  url: string;
  /** The service, or with `*` at its end all that begin so; null: every one. */
  service: string | null;
  /** The beginning of the paths in stacks on the machine that runs the code, such as `/srv/app`. */
  strip_prefix: string | null;
  /** The folder of the code in the repository, such as `services/checkout`. */
  folder: string | null;
}

/** The path behind the URL of a repository, by product. */
const ADDRESSES: Readonly<
  Record<
    Exclude<RepositoryKind, 'template'>,
    {
      line(commit: string, path: string, line: string): string;
      commit(commit: string): string;
      compare(from: string, to: string): string;
    }
  >
> = {
  github: {
    line: (commit, path, line) => `/blob/${commit}/${path}#L${line}`,
    commit: (commit) => `/commit/${commit}`,
    compare: (from, to) => `/compare/${from}...${to}`,
  },
  gitlab: {
    line: (commit, path, line) => `/-/blob/${commit}/${path}#L${line}`,
    commit: (commit) => `/-/commit/${commit}`,
    compare: (from, to) => `/-/compare/${from}...${to}`,
  },
  bitbucket: {
    line: (commit, path, line) => `/src/${commit}/${path}#lines-${line}`,
    commit: (commit) => `/commits/${commit}`,
    // The later commit is the first one there.
    compare: (from, to) => `/branches/compare/${to}..${from}`,
  },
  gitea: {
    line: (commit, path, line) => `/src/commit/${commit}/${path}#L${line}`,
    commit: (commit) => `/commit/${commit}`,
    compare: (from, to) => `/compare/${from}...${to}`,
  },
  azure: {
    line: (commit, path, line) =>
      `?path=/${path}&version=GC${commit}&line=${line}&lineEnd=${Number(line) + 1}&lineStartColumn=1&lineEndColumn=1`,
    commit: (commit) => `/commit/${commit}`,
    compare: (from, to) => `/branchCompare?baseVersion=GC${from}&targetVersion=GC${to}`,
  },
};

const PLACEHOLDERS = /\{(commit|path|line)\}/g;

/** Returns why an address cannot be that of a repository; null if it can. */
export function repositoryUrlFault(kind: RepositoryKind, url: string): string | null {
  const isTemplate = kind === 'template';
  const bare = isTemplate ? url.replaceAll(PLACEHOLDERS, '0') : url;
  // The host is written out: nothing of a failing application decides where a link leads.
  const hasHost = /^https:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?(?:\/|$)/i.test(url);
  const parsed = URL.parse(bare);
  if (!hasHost || parsed === null || parsed.username !== '' || parsed.password !== '') {
    return 'must be an https address without credentials';
  }
  if (/[\s"'<>\\{}]/.test(bare)) return 'has characters that are not allowed in an address';
  if (!isTemplate)
    return parsed.search === '' && parsed.hash === '' ? null : 'must have no query and no fragment';
  return url.includes('{path}') && url.includes('{commit}') ? null : 'must have {commit} and {path}';
}

/** The repository of a service: the first that names it; null if none does. */
export function repositoryOf(repositories: readonly Repository[], service: string): Repository | null {
  const isOf = ({ service: pattern }: Repository) =>
    pattern === null ||
    (pattern.endsWith('*') ? service.startsWith(pattern.slice(0, -1)) : service === pattern);
  return repositories.find(isOf) ?? null;
}

/**
 * The repository of all services of a release; null if they have several, or one has none. A release without services
 * has the only repository of its project.
 */
export function commonRepository(
  repositories: readonly Repository[],
  services: readonly string[],
): Repository | null {
  if (services.length === 0) return (repositories.length === 1 ? repositories[0] : null) ?? null;
  const [first = null, ...others] = new Set(services.map((name) => repositoryOf(repositories, name)));
  return others.length === 0 ? first : null;
}

/**
 * The address of a line at a commit; null where the place is no file of the repository, or the commit is none.
 * @param place as frames have it: `file:line` or `file:line:column`
 */
export function lineLink(repository: Repository, place: string, commit: string | null): string | null {
  const [, file = '', line = ''] = /^(.{1,1000}):(\d{1,7})(?::\d{1,7})?$/.exec(withoutColumn(place)) ?? [];
  const path = pathIn(repository, file);
  if (path === null || !isCommit(commit)) return null;
  if (repository.kind === 'template') {
    const parts: Readonly<Record<string, string>> = { commit, path, line };
    return repository.url.replaceAll(PLACEHOLDERS, (_whole, name: string) => parts[name] ?? '');
  }
  return withoutSlashes(repository.url) + ADDRESSES[repository.kind].line(commit, path, line);
}

/** The address of a commit; null where it is none, and for a template, which names lines alone. */
export function commitLink(repository: Repository, commit: string | null): string | null {
  if (repository.kind === 'template' || !isCommit(commit)) return null;
  return withoutSlashes(repository.url) + ADDRESSES[repository.kind].commit(commit);
}

/** The address of what changed between two commits; null where one of them is none, and for a template. */
export function compareLink(repository: Repository, from: string | null, to: string | null): string | null {
  if (repository.kind === 'template' || !isCommit(from) || !isCommit(to) || from === to) return null;
  return withoutSlashes(repository.url) + ADDRESSES[repository.kind].compare(from, to);
}

/** The commit that failed, as far as the event or its deployment names it. */
export function commitOf({ context: { git, deploy } }: DebugBundle): string | null {
  return git?.commit ?? deploy?.commit_sha ?? null;
}

/** The address of the first frame of the application, at the commit that failed; null where one of them is unknown. */
export function codeLink(repositories: readonly Repository[], bundle: DebugBundle): string | null {
  const { file = null, line = null } = bundle.summary.first_application_frame ?? {};
  const repository = repositoryOf(repositories, bundle.service.name);
  if (repository === null || file === null || line === null) return null;
  return lineLink(repository, `${file}:${line}`, commitOf(bundle));
}

/** `file:line:column` as `file:line`. */
function withoutColumn(place: string): string {
  return place.length > 1020 ? '' : place.replace(/:(\d{1,7}):\d{1,7}$/, ':$1');
}

function isCommit(commit: string | null): commit is string {
  return commit !== null && /^[0-9a-f]{7,64}$/i.test(commit);
}

/** The text without the slashes at its end; an expression would take quadratic time for many slashes elsewhere. */
function withoutSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

/** The encoded path of a file in the repository; null for what is no file of it. */
function pathIn({ strip_prefix: prefix, folder }: Repository, file: string): string | null {
  const path = file.replaceAll('\\', '/').replace(/^\.\//, '');
  // Addresses and parts of a platform such as `node:fs` are none.
  if (path === '' || /^[a-z][\w+.-]+:/i.test(path) || /\p{Cc}/u.test(path)) return null;
  const start = prefix === null ? '' : `${withoutSlashes(prefix.replaceAll('\\', '/'))}/`;
  const isBelow = start.length > 1 && path.startsWith(start);
  const inside = isBelow ? path.slice(start.length) : path;
  // From the root on, and not below the prefix: another place of the machine.
  if (/^(?:\/|[a-z]:)/i.test(inside)) return null;
  const whole = folder === null ? inside : `${folder}/${inside}`;
  const parts = whole.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..')) return null;
  return parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
}
