import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { workingDirectory } from './runtime-facts.ts';

/** `context.git` of an event (docs/contract/clients.md 3.2). */
export interface GitFacts {
  commit: string;
  branch: string | null;
  repo: string | null;
  dirty: null;
  source: 'env' | 'local';
}

/** The variables in which the known platforms write the commit, in the order of docs/contract/clients.md 4.6. */
const COMMIT_VARIABLES = [
  'CULPRIT_COMMIT',
  'GITHUB_SHA',
  'VERCEL_GIT_COMMIT_SHA',
  'RENDER_GIT_COMMIT',
  'RAILWAY_GIT_COMMIT_SHA',
  'SOURCE_VERSION',
  'SOURCE_COMMIT',
  'GIT_COMMIT',
  'CF_PAGES_COMMIT_SHA',
  'COMMIT_REF',
] as const;
const COMMIT = /^[0-9a-f]{7,64}$/i;
const MAX_LEVELS = 32;
const MAX_PACKED_BYTES = 1_048_576;

/** Returns the commit from the platform's environment. */
function readGitFromEnvironment(env: NodeJS.ProcessEnv): GitFacts | null {
  for (const name of COMMIT_VARIABLES) {
    const commit = env[name]?.trim();
    if (commit !== undefined && COMMIT.test(commit)) {
      return { commit, branch: shortText(env.GITHUB_REF_NAME), repo: null, dirty: null, source: 'env' };
    }
  }
  return null;
}

/** The commit of the working copy around `cwd`, by at most three small reads and no child process. */
function readGitFromWorkingCopy(cwd: string): GitFacts | null {
  try {
    const folder = findGitFolder(cwd);
    if (folder === null) return null;
    const head = readFileSync(join(folder, 'HEAD'), 'utf8').trim();
    if (COMMIT.test(head)) return { commit: head, branch: null, repo: null, dirty: null, source: 'local' };
    const reference = /^ref: (refs\/[^\0]{1,500})$/.exec(head)?.[1];
    if (reference === undefined || reference.includes('..')) return null;
    const commit = readReference(folder, reference);
    if (commit === null) return null;
    const branch = shortText(reference.replace(/^refs\/heads\//, ''));
    return { commit, branch, repo: null, dirty: null, source: 'local' };
  } catch {
    return null;
  }
}

function readReference(folder: string, reference: string): string | null {
  const loose = join(folder, reference);
  if (statSync(loose, { throwIfNoEntry: false })?.isFile()) {
    const commit = readFileSync(loose, 'utf8').trim();
    return COMMIT.test(commit) ? commit : null;
  }
  const packed = join(folder, 'packed-refs');
  const size = statSync(packed, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  if (size > MAX_PACKED_BYTES) return null;
  const line = readFileSync(packed, 'utf8')
    .split('\n')
    .find((text) => text.endsWith(` ${reference}`));
  const commit = line?.slice(0, line.indexOf(' '));
  return commit !== undefined && COMMIT.test(commit) ? commit : null;
}

/** The commit of these options, of the platform, or in local mode of the working copy. */
export function findGit(given: unknown, env: NodeJS.ProcessEnv, isLocal: boolean): GitFacts | null {
  const text = (name: string) => {
    const value: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined;
    return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;
  };
  const commit = text('commit');
  if (commit !== null)
    return { commit, branch: text('branch'), repo: text('repo'), dirty: null, source: 'env' };
  const ofPlatform = readGitFromEnvironment(env);
  const cwd = workingDirectory();
  return ofPlatform ?? (isLocal && cwd !== null ? readGitFromWorkingCopy(cwd) : null);
}

/** Returns the commit in the form that a release uses. */
export function shortCommit(git: GitFacts | null): string | null {
  return git === null ? null : git.commit.slice(0, 7);
}

function findGitFolder(from: string): string | null {
  let folder = from;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const found = statSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (found?.isDirectory()) return join(folder, '.git');
    if (found?.isFile()) return linkedGitFolder(folder);
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
  return null;
}

/** A submodule or linked working copy has a file that names its folder. */
function linkedGitFolder(folder: string): string | null {
  const target = /^gitdir: (.{1,1000})$/m.exec(readFileSync(join(folder, '.git'), 'utf8'))?.[1];
  return target === undefined ? null : resolve(folder, target.trim());
}

function shortText(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.slice(0, 200);
}
