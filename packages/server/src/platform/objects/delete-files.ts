import { join } from 'node:path';
import { type FileOperations, isAbsence, systemErrorCode } from './file-operations.ts';

/**
 * Removes up to `limit` files below a directory, and the directories that are empty after that. Returns the number of
 * removed files. Nothing is synced: files that a crash restores are searched for again.
 * @param which `nameBegins` is the beginning of the names in this directory, of files and of whole directories;
 * `assertInTime` throws when the caller no longer waits
 */
export async function deleteFiles(
  directory: string,
  which: { limit: number; nameBegins: string; assertInTime: () => void },
  operations: FileOperations,
): Promise<number> {
  const { limit, nameBegins, assertInTime } = which;
  let deleted = 0;
  for (const name of await namesIn(directory, operations)) {
    if (deleted >= limit) return deleted;
    if (!name.startsWith(nameBegins)) continue;
    assertInTime();
    const path = join(directory, name);
    if (await deleteFile(path, operations)) deleted += 1;
    else {
      const below = { limit: limit - deleted, nameBegins: '', assertInTime };
      deleted += await deleteFiles(path, below, operations);
    }
  }
  // Another file may have been added since, or another process may have been faster. If only some of the files are
  // removed, the directory is still in use.
  if (deleted < limit && nameBegins === '') await operations.rmdir(directory).catch(() => {});
  return deleted;
}

async function namesIn(directory: string, operations: FileOperations): Promise<string[]> {
  try {
    return await operations.readdir(directory);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** False for a directory, which Linux and macOS refuse to unlink by different codes. */
async function deleteFile(path: string, operations: FileOperations): Promise<boolean> {
  try {
    await operations.unlink(path);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return true;
    if (code === 'EISDIR') return false;
    if (code === 'EPERM' && (await operations.stat(path)).isDirectory()) return false;
    throw error;
  }
}
