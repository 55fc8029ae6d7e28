import { spawnSync } from 'node:child_process';

/** The state of a folder in git. Without git, or outside of a repository, nothing is ignored and nothing is tracked. */

/** Returns true if git would omit a file; files that it tracks are never omitted. */
export function isIgnored(directory: string, path: string): boolean {
  return git(directory, ['check-ignore', '--quiet', '--', path]).status === 0;
}

/** Returns true if the next `git add` would include a file: it is in a repository that does not omit it. */
export function wouldBeAdded(directory: string, path: string): boolean {
  return git(directory, ['check-ignore', '--quiet', '--', path]).status === 1;
}

/** Returns true if git has a file, and it was changed since. */
export function isChanged(directory: string, path: string): boolean {
  const { status, out } = git(directory, ['status', '--porcelain', '--', path]);
  return status === 0 && out !== '' && !out.startsWith('??');
}

function git(directory: string, args: readonly string[]): { status: number | null; out: string } {
  const { status, stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  return { status, out: stdout ?? '' };
}
