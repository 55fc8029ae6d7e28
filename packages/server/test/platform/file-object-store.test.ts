import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { ObjectStoreUnavailableError } from '../../src/platform/objects/object-store.ts';
import { eventually } from '../support/eventually.ts';
import { fillWithFiles } from '../support/small-volume.ts';
import {
  cleanUp,
  gate,
  newDirectory,
  newVolume,
  Spy,
  spiedStore,
  systemError,
  temporaryFiles,
} from './spied-store.ts';

afterEach(cleanUp);

describe('an object', () => {
  it('is written whole when the system takes it in pieces', async () => {
    const { store, spy } = await spiedStore();
    spy.writeBytesMax = 999;
    const bytes = Buffer.alloc(5000, 'piece');
    await store.put('a', bytes);
    expect(spy.count('write tmp/*')).toBe(6);
    expect(await store.get('a')).toEqual(bytes);
  });

  it('is seen by another store on the same directory', async () => {
    const { store, directory } = await spiedStore();
    const other = await createFileObjectStore({ directory, writeTimeoutMs: 3000 });
    await store.put('raw/a', Buffer.from('a'));
    expect((await other.get('raw/a')).toString()).toBe('a');
  });
});

describe('temporary files of a crash', () => {
  it('are removed at start, but not those that another process may be writing now', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'tmp'));
    const nowMs = 1_800_000_000_000;
    for (const [name, ageSeconds] of Object.entries({
      old: 61,
      ancient: 1_000_000,
      young: 59,
      future: -7200,
    })) {
      writeFileSync(join(directory, 'tmp', name), 'half');
      utimesSync(join(directory, 'tmp', name), nowMs / 1000 - ageSeconds, nowMs / 1000 - ageSeconds);
    }
    await createFileObjectStore({ directory, writeTimeoutMs: 3000, nowMs: () => nowMs });
    expect(temporaryFiles(directory).sort()).toEqual(['future', 'young']);
  });

  it('that were too young at start are removed later, beside the puts', async () => {
    let nowMs = Date.now();
    const { store, spy, directory } = await spiedStore({ nowMs: () => nowMs });
    writeFileSync(join(directory, 'tmp', 'left'), 'half');
    await store.put('a', Buffer.from('a'));
    expect(temporaryFiles(directory)).toEqual(['left']);
    nowMs += 600_000;
    const removed = Promise.withResolvers<void>();
    const unlink = spy.operations.unlink;
    spy.operations.unlink = async (path) => {
      await unlink(path);
      removed.resolve();
    };
    await store.put('b', Buffer.from('b'));
    await removed.promise;
    expect(temporaryFiles(directory)).toEqual([]);
    // Not looked for with each put: once in ten minutes.
    await store.put('c', Buffer.from('c'));
    expect(spy.count('readdir tmp')).toBe(1);
  });

  it('are never the ones that this process still writes, even when the clock was set forward', async () => {
    let nowMs = Date.now();
    const { store, spy, directory } = await spiedStore({ nowMs: () => nowMs });
    writeFileSync(join(directory, 'tmp', 'left'), 'half');
    const slow = gate();
    spy.before = ({ name }) => (name === 'fsync' ? slow.hold() : undefined);
    const put = store.put('a', Buffer.from('a'));
    await slow.reached;
    spy.before = () => undefined;
    nowMs += 600_000;
    await store.put('b', Buffer.from('b'));
    await eventually(async () => expect(temporaryFiles(directory)).not.toContain('left'));
    slow.open();
    await put;
    expect(await store.exists('a')).toBe(true);
  });

  it('are never taken for objects', async () => {
    const { store, spy, directory } = await spiedStore();
    const never = gate();
    spy.before = ({ name }) => (name === 'fsync' ? never.hold() : undefined);
    const put = store.put('a', Buffer.from('half'));
    await never.reached;
    // The process could stop for good here.
    expect(temporaryFiles(directory)).toHaveLength(1);
    const restarted = await createFileObjectStore({ directory, writeTimeoutMs: 3000 });
    expect(await restarted.exists('a')).toBe(false);
    never.open();
    await put;
    expect(readFileSync(join(directory, 'a'), 'utf8')).toBe('half');
  });
});

describe('a store that is', () => {
  it('in order passes its check and leaves no trace of it', async () => {
    const { store, spy, directory } = await spiedStore();
    await store.check();
    expect(spy.count('fsync tmp/* done')).toBe(1);
    expect(temporaryFiles(directory)).toEqual([]);
  });

  it('gone fails its check, its puts and its reads of free space', async () => {
    const { store, directory } = await spiedStore();
    rmSync(directory, { recursive: true });
    await expect(store.check()).rejects.toThrow(ObjectStoreUnavailableError);
    await expect(store.put('a', Buffer.from('a'))).rejects.toThrow(ObjectStoreUnavailableError);
    await expect(store.freeSpace()).rejects.toThrow(ObjectStoreUnavailableError);
  });

  it('hanging fails its check in time', async () => {
    const { store, spy } = await spiedStore({ writeTimeoutMs: 20 });
    const hanging = gate();
    spy.before = ({ name }) => (name === 'open' ? hanging.hold() : undefined);
    await expect(store.check()).rejects.toMatchObject({ reason: 'timeout' });
    hanging.open();
  });

  it('unreadable is unavailable, which is another thing than a missing object', async () => {
    const { store, spy } = await spiedStore();
    await store.put('a', Buffer.from('a'));
    spy.before = () => {
      throw systemError('EIO');
    };
    await expect(store.get('a')).rejects.toThrow(ObjectStoreUnavailableError);
    await expect(store.exists('a')).rejects.toThrow(ObjectStoreUnavailableError);
    await expect(store.delete('a')).rejects.toThrow(ObjectStoreUnavailableError);
  });

  it('at a place where no directory can be made does not start', async () => {
    const file = join(newDirectory(), 'file');
    writeFileSync(file, '');
    const started = createFileObjectStore({ directory: join(file, 'objects'), writeTimeoutMs: 3000 });
    await expect(started).rejects.toThrow(ObjectStoreUnavailableError);
  });

  it('on a file system without a fixed number of files says so', async () => {
    const { store, spy } = await spiedStore();
    const space = await store.freeSpace();
    expect(space.totalBytes).toBeGreaterThan(space.freeBytes);
    expect(space.freeBytes).toBeGreaterThan(0);
    const statfs = spy.operations.statfs;
    spy.operations.statfs = async (path) => Object.assign(await statfs(path), { files: 0, ffree: 0 });
    expect(await store.freeSpace()).toMatchObject({ freeFiles: null, totalFiles: null });
  });
});

describe('a full volume', () => {
  it.each([
    ['space', 'size=256k', Buffer.alloc(4096)],
    ['file entries', 'size=4m,nr_inodes=40', Buffer.alloc(0)],
  ])(
    'without free %s refuses puts, keeps what it has, and takes puts again when freed',
    async (_, options, filler) => {
      const tiny = newVolume(options);
      const directory = tiny ?? newDirectory();
      console.info(
        `full volume: ${tiny === null ? 'injected ENOSPC (mounting is not permitted)' : `tmpfs ${options}`}`,
      );
      const spy = new Spy(directory);
      const store = await createFileObjectStore({
        directory,
        writeTimeoutMs: 3000,
        operations: spy.operations,
      });
      await store.put('raw/kept', Buffer.alloc(20_000, 'kept'));
      const before = await store.freeSpace();

      let free: () => void;
      if (tiny === null) {
        spy.before = ({ name }) => {
          if (name === 'write') throw systemError('ENOSPC');
        };
        free = () => {
          spy.before = () => {};
        };
      } else {
        const fillers = fillWithFiles(directory, filler);
        free = () => {
          for (const file of fillers) rmSync(file, { force: true });
        };
        const full = await store.freeSpace();
        if (filler.length > 0) expect(full.freeBytes).toBe(0);
        else expect(full.freeFiles).toBe(0);
        expect(full).not.toEqual(before);
      }

      for (let attempt = 0; attempt < 3; attempt++) {
        const put = store.put(`raw/refused${attempt}`, Buffer.alloc(20_000, 'refused'));
        await expect(put).rejects.toMatchObject({ name: 'ObjectStoreUnavailableError', reason: 'ENOSPC' });
      }
      await expect(store.check()).rejects.toThrow(ObjectStoreUnavailableError);
      expect(readdirSync(join(directory, 'raw'))).toEqual(['kept']);
      expect(temporaryFiles(directory)).toEqual([]);
      expect(await store.get('raw/kept')).toEqual(Buffer.alloc(20_000, 'kept'));

      free();
      await store.check();
      await store.put('raw/again', Buffer.alloc(20_000, 'again'));
      expect(await store.get('raw/again')).toEqual(Buffer.alloc(20_000, 'again'));
    },
  );

  it('that is noticed only by the sync refuses the put and leaves nothing', async () => {
    const { store, spy, directory } = await spiedStore();
    spy.before = ({ name }) => {
      if (name === 'fsync') throw systemError('ENOSPC');
    };
    await expect(store.put('a', Buffer.alloc(10_000))).rejects.toMatchObject({ reason: 'ENOSPC' });
    expect(readdirSync(directory)).toEqual(['tmp']);
    expect(temporaryFiles(directory)).toEqual([]);
  });
});
