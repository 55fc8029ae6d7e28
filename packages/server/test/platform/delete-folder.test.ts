import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { realFileOperations } from '../../src/platform/objects/file-operations.ts';
import { ObjectStoreUnavailableError } from '../../src/platform/objects/object-store.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-folders-'));
  directories.push(directory);
  return directory;
}

describe('a folder of objects', () => {
  it('is emptied step by step, to its directories, and nothing beside it', async () => {
    const directory = newDirectory();
    const store = await createFileObjectStore({ directory, writeTimeoutMs: 3000 });
    const doomed = Array.from({ length: 25 }, (_, i) => `raw/p1/2026-01-0${(i % 3) + 1}/${i}`);
    const kept = ['raw/p10/2026-01-01/a', 'raw/p2/p1/b', 'bundles/p1/i/c', 'raw/p1a'];
    for (const key of [...doomed, ...kept]) await store.put(key, Buffer.from(key));
    const steps = [];
    let deleted = 10;
    while (deleted === 10) {
      deleted = await store.deleteFolder('raw/p1', 10);
      steps.push(deleted);
    }
    expect(steps).toEqual([10, 10, 5]);
    expect(existsSync(join(directory, 'raw/p1'))).toBe(false);
    for (const key of kept) expect((await store.get(key)).toString()).toBe(key);
    expect(await store.deleteFolder('raw/p1', 10)).toBe(0);
  });

  it('takes a new object again after it was emptied', async () => {
    const store = await createFileObjectStore({ directory: newDirectory(), writeTimeoutMs: 3000 });
    await store.put('raw/p1/day/a', Buffer.from('a'));
    await store.deleteFolder('raw/p1', 10);
    // The store remembers the directory as made; the first put finds out that it is gone.
    await store.put('raw/p1/day/b', Buffer.from('b')).catch(() => {});
    await store.put('raw/p1/day/c', Buffer.from('c'));
    expect((await store.get('raw/p1/day/c')).toString()).toBe('c');
  });

  it('goes on where another process was faster, and says when the system does not obey', async () => {
    const directory = newDirectory();
    let code: string | null = 'ENOENT';
    const store = await createFileObjectStore({
      directory,
      writeTimeoutMs: 3000,
      operations: {
        ...realFileOperations,
        async unlink(path) {
          if (path.endsWith('b') && code !== null) throw Object.assign(new Error(code), { code });
          await realFileOperations.unlink(path);
        },
      },
    });
    for (const name of ['a', 'b', 'c']) await store.put(`raw/p1/${name}`, Buffer.from(name));
    code = 'EIO';
    await expect(store.deleteFolder('raw/p1', 10)).rejects.toThrow(ObjectStoreUnavailableError);
    code = 'ENOENT';
    await store.put('raw/p1/a', Buffer.from('a'));
    expect(await store.deleteFolder('raw/p1', 10)).toBeGreaterThanOrEqual(2);
    code = null;
    await store.deleteFolder('raw/p1', 10);
    expect(existsSync(join(directory, 'raw/p1'))).toBe(false);
  });
});
