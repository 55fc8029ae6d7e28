import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode } from './error-code.ts';

/** The folder of the library in an application. */
const OWN = '.culprit';
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/** Returns true if a configured directory is absolute and canonical (docs/contract/clients.md 2.1). */
export function isCanonicalPath(path: string): boolean {
  return isAbsolute(path) && resolve(path) === path && !path.includes('\0');
}

/** The directory of a kind of files below the working directory: `events`, `spool`, `browser-relay-spool`. */
export function defaultDirectory(kind: 'events' | 'spool' | 'browser-relay-spool', cwd: string): string {
  return join(cwd, OWN, 'local', kind);
}

/**
 * Makes a directory that only its owner can read. Refuses symbolic links: at the directory itself, and below
 * `.culprit` at every level, because a link there could lead what is written anywhere. Throws what the system says.
 */
export function ensureDirectory(path: string): void {
  const root = ownRoot(path) ?? path;
  // To make what is there needs a permission too.
  if (!existsSync(dirname(root))) mkdirSync(dirname(root), { recursive: true, mode: DIRECTORY_MODE });
  let level = root;
  const levels = [root];
  for (const name of relative(root, path).split(sep)) {
    if (name === '') continue;
    level = join(level, name);
    levels.push(level);
  }
  for (const each of levels) {
    const isNew = makeLevel(each);
    if (isNew && each === root && root !== path) ignoreByGit(root);
  }
}

function makeLevel(path: string): boolean {
  try {
    mkdirSync(path, { mode: DIRECTORY_MODE });
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = lstatSync(path);
  if (!found.isDirectory()) throw refusal(path, found.isSymbolicLink() ? 'ELOOP' : 'ENOTDIR');
  // Made by something else: what is in it belongs to the owner all the same. Other directories are the host's.
  if (ownRoot(path) !== null && (found.mode & OTHERS) !== 0 && found.uid === process.getuid?.()) {
    chmodSync(path, DIRECTORY_MODE);
  }
  return false;
}

/** Events of a developer's machine never belong into a repository. */
function ignoreByGit(root: string): void {
  try {
    writeFileSync(join(root, '.gitignore'), '*\n', { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** The path up to its last `.culprit`; null where there is none. */
export function ownRoot(path: string): string | null {
  const names = path.split(sep);
  const index = names.lastIndexOf(OWN);
  return index === -1 ? null : names.slice(0, index + 1).join(sep);
}

/** An error with a code, as those of the file system have. */
export function refusal(path: string, code: 'ELOOP' | 'ENOTDIR' | 'EEXIST'): Error {
  return Object.assign(new Error(`${code}: refused to use ${path}`), { code, path });
}
