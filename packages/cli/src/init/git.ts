import { spawnSync } from 'node:child_process';

/** What git knows of a folder. Without git, or outside of a repository, nothing is ignored and nothing is tracked. */

/** Whether git would leave a file out; files that it tracks are never left out. */
export function isIgnored(directory: string, path: string): boolean {
  return git(directory, ['check-ignore', '--quiet', '--', path]).status === 0;
}

/** Whether the next `git add` would take a file along: it is in a repository that does not leave it out. */
export function wouldBeAdded(directory: string, path: string): boolean {
  return git(directory, ['check-ignore', '--quiet', '--', path]).status === 1;
}

/** Whether git has a file, and it was changed since. */
export function isChanged(directory: string, path: string): boolean {
  const { status, out } = git(directory, ['status', '--porcelain', '--', path]);
  return status === 0 && out !== '' && !out.startsWith('??');
}

function git(directory: string, args: readonly string[]): { status: number | null; out: string } {
  const { status, stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  return { status, out: stdout ?? '' };
}
