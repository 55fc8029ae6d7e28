import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

let written = 0;

/**
 * Writes a file completely or not at all: a temporary file next to it that only the user can read, synced, and renamed
 * over it.
 * @param mode of the file; folders that are created are for the user alone when the file is
 */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 });
  written += 1;
  // Made exclusively below, so that a name which is there already is a failure and nothing worse.
  const temporary = join(folder, `.tmp-${process.pid}-${Date.now()}-${written}`);
  const file = openSync(temporary, 'wx', mode);
  try {
    writeSync(file, typeof content === 'string' ? Buffer.from(content) : content);
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(file);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
