import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Volumes of a size that can be filled, for tests where mounting is permitted. */

/**
 * Mounts a volume in memory over a directory.
 * @param options of the mount, as `size=256k`
 * @returns how to take it away again; null where we may not mount
 */
export function mountSmallVolume(directory: string, options: string): (() => void) | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return () => execFileSync('umount', [directory]);
}

/** Writes files of that content until there is no room for another, and returns their paths. */
export function fillWithFiles(directory: string, content: Buffer): string[] {
  const files: string[] = [];
  for (let index = 0; index < 10_000; index++) {
    try {
      const file = join(directory, `filler${index}`);
      files.push(file);
      writeFileSync(file, content);
    } catch {
      return files;
    }
  }
  throw new Error('the volume does not fill up');
}

/** Adds to a file until there is no room for another page. */
export function fillWithBytes(file: string): void {
  for (const sizeBytes of [4 * 1024 ** 2, 64 * 1024, 4096]) {
    const content = Buffer.alloc(sizeBytes);
    try {
      for (;;) appendFileSync(file, content);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}
