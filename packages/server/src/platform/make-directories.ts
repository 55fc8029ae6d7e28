import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory and those above it that are missing, and returns the first one that it had to make. Node's own
 * recursive form never ends where a file system refuses a directory with `ENOENT` although its parent exists, as
 * `/proc` does; this one goes up once and down once.
 * @throws the system's error
 */
export async function makeDirectories(path: string, mode: number): Promise<string | undefined> {
  const below: string[] = [];
  let directory = resolve(path);
  while (await isMissing(directory)) {
    below.push(directory);
    directory = dirname(directory);
  }
  let first: string | undefined;
  for (const missing of below.reverse()) {
    if (await makeDirectory(missing, mode)) first ??= missing;
  }
  // Only now is a path that leads through a file known to be no directory.
  if (!(await stat(path)).isDirectory()) throw notADirectory(path);
  return first;
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path) return true;
    throw error;
  }
}

/** Returns false if another process was faster. */
async function makeDirectory(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function notADirectory(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: 'ENOTDIR' });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
