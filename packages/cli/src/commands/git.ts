import { execFileSync } from 'node:child_process';

const TIMEOUT_MS = 5000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Returns the output of a git command; null without git, outside of a repository, and if it fails. */
export function git(directory: string, args: readonly string[]): string | null {
  try {
    return execFileSync('git', [...args], {
      cwd: directory,
      timeout: TIMEOUT_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    }).trim();
  } catch {
    return null;
  }
}
