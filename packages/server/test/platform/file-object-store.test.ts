import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { type FileOperations, realFileOperations } from '../../src/platform/objects/file-operations.ts';
import { ObjectStoreUnavailableError } from '../../src/platform/objects/object-store.ts';
import { fillWithFiles, mountSmallVolume } from '../support/small-volume.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-objects-'));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

type Call = { name: keyof FileOperations; path: string; nth: number };

/** Real calls, written down as `fsync raw/p1` when they begin and as `fsync raw/p1 done` when they ended well. */
class Spy {
  readonly log: string[] = [];
  readonly directory: string;
  /** Awaited before each call; may throw a system error in its place or hold it. */
  before: (call: Call) => Promise<void> | void = () => {};
  writeBytesMax = Number.POSITIVE_INFINITY;
  private calls = 0;
  private readonly files = new Map<number, string>();

  constructor(directory: string) {
    this.directory = directory;
  }

  readonly operations: FileOperations = {
    open: (path, flags, mode) =>
      this.call('open', path, async () => {
        const file = await realFileOperations.open(path, flags, mode);
        this.files.set(file, path);
        return file;
      }),
    write: (file, bytes, offset, length) =>
      this.call('write', this.pathOf(file), () =>
        realFileOperations.write(file, bytes, offset, Math.min(length, this.writeBytesMax)),
      ),
    read: (file, into, offset, length, position) =>
      this.call('read', this.pathOf(file), () =>
        realFileOperations.read(file, into, offset, length, position),
      ),
    fsync: (file) => this.call('fsync', this.pathOf(file), () => realFileOperations.fsync(file)),
    // A descriptor is closed also where the call is told to fail, as the system does it.
    close: async (file) => {
      await realFileOperations.close(file);
      await this.call('close', this.pathOf(file), async () => {});
    },
    fileSize: (file) => this.call('fileSize', this.pathOf(file), () => realFileOperations.fileSize(file)),
    rename: (from, to) => this.call('rename', to, () => realFileOperations.rename(from, to)),
    unlink: (path) => this.call('unlink', path, () => realFileOperations.unlink(path)),
    mkdir: (path, options) => this.call('mkdir', path, () => realFileOperations.mkdir(path, options)),
    rmdir: (path) => this.call('rmdir', path, () => realFileOperations.rmdir(path)),
    readdir: (path) => this.call('readdir', path, () => realFileOperations.readdir(path)),
    stat: (path) => this.call('stat', path, () => realFileOperations.stat(path)),
    statfs: (path) => this.call('statfs', path, () => realFileOperations.statfs(path)),
  };

  private async call<T>(name: keyof FileOperations, path: string, run: () => Promise<T>): Promise<T> {
    const short = relative(this.directory, path) || '.';
    const line = `${name} ${short.startsWith('tmp/') ? 'tmp/*' : short}`;
    this.log.push(line);
    await this.before({ name, path: short, nth: this.calls++ });
    const result = await run();
    this.log.push(`${line} done`);
    return result;
  }

  private pathOf(file: number): string {
    return this.files.get(file) ?? `descriptor ${file}`;
  }

  count(line: string): number {
    return this.log.filter((each) => each === line).length;
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Resolves when the spied call begins. */
function gate(): { reached: Promise<void>; hold: () => Promise<void>; open: () => void } {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    hold: () => {
      reached.resolve();
      return opened.promise;
    },
    open: opened.resolve,
  };
}

async function spiedStore(options: { writeTimeoutMs?: number; nowMs?: () => number } = {}) {
  const directory = newDirectory();
  const spy = new Spy(directory);
  const { writeTimeoutMs = 3000, nowMs = Date.now } = options;
  const store = await createFileObjectStore({ directory, writeTimeoutMs, operations: spy.operations, nowMs });
  spy.log.length = 0;
  return { directory, spy, store };
}

const temporaryFiles = (directory: string) => readdirSync(join(directory, 'tmp'));

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

describe('a put is durable when it resolves', () => {
  it('because each sync has ended before the next step, new parents included', async () => {
    const { store, spy } = await spiedStore();
    await store.put('raw/p1/a', Buffer.from('a'));
    const steps = spy.log.filter((line) => !line.startsWith('close'));
    const ends = steps.filter((line) => line.endsWith(' done') && !line.startsWith('open'));
    expect(ends.map((line) => line.slice(0, -' done'.length))).toEqual([
      'mkdir raw',
      'fsync .',
      'mkdir raw/p1',
      'fsync raw',
      'write tmp/*',
      'fsync tmp/*',
      'rename raw/p1/a',
      'fsync raw/p1',
    ]);
    // Strictly one after the other, but for descriptors that are closed meanwhile: each call ends right after it began.
    for (let i = 0; i < steps.length; i += 2) expect(steps[i + 1]).toBe(`${steps[i]} done`);
  });

  it('and directories known to be durable are not synced again for their parents', async () => {
    const { store, spy } = await spiedStore();
    await store.put('raw/p1/a', Buffer.from('a'));
    spy.log.length = 0;
    await store.put('raw/p1/b', Buffer.from('b'));
    expect(spy.log.filter((line) => !line.endsWith('done') && !line.startsWith('close'))).toEqual([
      'open tmp/*',
      'write tmp/*',
      'fsync tmp/*',
      'rename raw/p1/b',
      'open raw/p1',
      'fsync raw/p1',
    ]);
  });

  it('also in a directory that another process made and perhaps did not sync', async () => {
    const { store, spy, directory } = await spiedStore();
    mkdirSync(join(directory, 'raw', 'p1'), { recursive: true });
    await store.put('raw/p1/a', Buffer.from('a'));
    expect(spy.count('fsync . done')).toBe(1);
    expect(spy.count('fsync raw done')).toBe(1);
  });

  it('and the directory of the store itself is synced into its parents at start', async () => {
    const directory = newDirectory();
    const spy = new Spy(directory);
    await createFileObjectStore({
      directory: join(directory, 'data', 'objects'),
      writeTimeoutMs: 3000,
      operations: spy.operations,
    });
    expect(spy.count('fsync data done')).toBe(1);
    expect(spy.count('fsync . done')).toBe(1);
  });

  it('and puts side by side share a directory sync only when it began after their rename', async () => {
    const { store, spy } = await spiedStore();
    await store.put('raw/first', Buffer.from('x'));
    spy.log.length = 0;
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        await store.put(`raw/n${index}`, Buffer.from('x'));
        spy.log.push(`resolved n${index}`);
      }),
    );
    expect(spy.count('fsync tmp/* done')).toBe(64);
    expect(spy.count('fsync raw done')).toBeLessThan(40);
    for (let index = 0; index < 64; index++) {
      const renamed = spy.log.indexOf(`rename raw/n${index} done`);
      const began = spy.log.indexOf('fsync raw', renamed);
      const ended = spy.log.indexOf('fsync raw done', began);
      expect(renamed).toBeGreaterThanOrEqual(0);
      expect(began).toBeGreaterThan(renamed);
      expect(ended).toBeGreaterThan(began);
      expect(spy.log.indexOf(`resolved n${index}`)).toBeGreaterThan(ended);
    }
  });

  it('so that one which renames during a directory sync waits for the next', async () => {
    const { store, spy } = await spiedStore();
    await store.put('raw/zero', Buffer.from('0'));
    const firstSync = gate();
    const secondRename = Promise.withResolvers<void>();
    const secondSync = gate();
    let syncs = 0;
    spy.before = ({ name, path }) => {
      if (name !== 'fsync' || path !== 'raw') return;
      return syncs++ === 0 ? firstSync.hold() : secondSync.hold();
    };
    const resolved: string[] = [];
    const first = store.put('raw/first', Buffer.from('1')).then(() => resolved.push('first'));
    await firstSync.reached;
    const operations = spy.operations;
    const rename = operations.rename;
    operations.rename = async (from, to) => {
      await rename(from, to);
      secondRename.resolve();
    };
    const second = store.put('raw/second', Buffer.from('2')).then(() => resolved.push('second'));
    await secondRename.promise;
    firstSync.open();
    await first;
    await secondSync.reached;
    expect(resolved).toEqual(['first']);
    secondSync.open();
    await second;
    expect(resolved).toEqual(['first', 'second']);
  });
});

describe('a put that fails', () => {
  it('leaves neither object nor temporary file, whichever call fails first', async () => {
    let isClean = false;
    let failing = 0;
    for (; !isClean; failing++) {
      const { store, spy, directory } = await spiedStore();
      let calls = 0;
      let isSyncedBefore = false;
      spy.before = ({ name, path }) => {
        if (calls++ !== failing) return;
        isSyncedBefore = name === 'close' && !path.startsWith('tmp/');
        throw systemError('EIO');
      };
      const outcome = await store.put('raw/p1/a', Buffer.from('a')).catch((error: unknown) => error);
      spy.before = () => {};
      isClean = calls <= failing;
      // Once a directory is synced, it does not matter how its descriptor is closed.
      if (isClean || isSyncedBefore) {
        expect(outcome).toBeUndefined();
        expect((await store.get('raw/p1/a')).toString()).toBe('a');
      } else {
        expect(outcome).toBeInstanceOf(ObjectStoreUnavailableError);
        expect(outcome).toMatchObject({ reason: 'EIO' });
        expect(existsSync(join(directory, 'raw/p1/a'))).toBe(false);
      }
      expect(temporaryFiles(directory)).toEqual([]);
      // The failure is over: the next object is stored, and its way to the root is durable.
      await store.put('raw/p1/b', Buffer.from('b'));
      expect((await store.get('raw/p1/b')).toString()).toBe('b');
      for (const name of ['.', 'raw', 'raw/p1']) expect(spy.log).toContain(`fsync ${name} done`);
    }
    expect(failing).toBeGreaterThan(15);
  });

  it('because of a failed sync is not synced a second time', async () => {
    const { store, spy, directory } = await spiedStore();
    spy.before = ({ name, path }) => {
      if (name === 'fsync' && path.startsWith('tmp/')) throw systemError('EIO');
    };
    await expect(store.put('a', Buffer.from('a'))).rejects.toThrow(ObjectStoreUnavailableError);
    expect(spy.count('fsync tmp/*')).toBe(1);
    expect(spy.count('rename a')).toBe(0);
    expect(readdirSync(directory)).toEqual(['tmp']);
  });

  it('because of a failed directory sync takes along those that had already renamed', async () => {
    const { store, spy, directory } = await spiedStore();
    await store.put('raw/zero', Buffer.from('0'));
    const firstSync = gate();
    let syncs = 0;
    spy.before = async ({ name, path }) => {
      if (name !== 'fsync' || path !== 'raw' || syncs++ > 0) return;
      await firstSync.hold();
      throw systemError('EIO');
    };
    const secondRename = Promise.withResolvers<void>();
    const rename = spy.operations.rename;
    const first = store.put('raw/first', Buffer.from('1'));
    await firstSync.reached;
    spy.operations.rename = async (from, to) => {
      await rename(from, to);
      secondRename.resolve();
    };
    const second = store.put('raw/second', Buffer.from('2'));
    await secondRename.promise;
    firstSync.open();
    for (const outcome of await Promise.allSettled([first, second])) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'EIO' } });
    }
    expect(readdirSync(join(directory, 'raw'))).toEqual(['zero']);
    await store.put('raw/third', Buffer.from('3'));
    expect(readdirSync(join(directory, 'raw')).sort()).toEqual(['third', 'zero']);
  });

  it('because a new directory could not be synced into its parent makes the directory anew the next time', async () => {
    const { store, spy, directory } = await spiedStore();
    spy.before = ({ name, path }) => {
      if (name === 'fsync' && path === '.') throw systemError('EIO');
    };
    await expect(store.put('raw/a', Buffer.from('a'))).rejects.toThrow(ObjectStoreUnavailableError);
    // Were it still there, a second fsync could succeed without having written its entry.
    expect(readdirSync(directory)).toEqual(['tmp']);
  });

  it('because its directory was removed makes the directory anew the next time', async () => {
    const { store, directory } = await spiedStore();
    await store.put('raw/p1/a', Buffer.from('a'));
    rmSync(join(directory, 'raw'), { recursive: true });
    await expect(store.put('raw/p1/b', Buffer.from('b'))).rejects.toMatchObject({ reason: 'ENOENT' });
    expect(temporaryFiles(directory)).toEqual([]);
    await store.put('raw/p1/c', Buffer.from('c'));
    expect((await store.get('raw/p1/c')).toString()).toBe('c');
  });
});

describe('a put that takes too long', () => {
  it.each([
    ['the file', (path: string) => path.startsWith('tmp/')],
    ['the directory', (path: string) => path === 'raw'],
  ])('in the sync of %s is rejected, and what it brings about later is removed', async (_, isSlow) => {
    const { store, spy, directory } = await spiedStore({ writeTimeoutMs: 250 });
    await store.put('raw/zero', Buffer.from('0'));
    const slow = gate();
    const removed = Promise.withResolvers<void>();
    spy.before = ({ name, path }) => (name === 'fsync' && isSlow(path) ? slow.hold() : undefined);
    const unlink = spy.operations.unlink;
    spy.operations.unlink = async (path) => {
      await unlink(path);
      removed.resolve();
    };
    await expect(store.put('raw/late', Buffer.from('1'))).rejects.toMatchObject({
      name: 'ObjectStoreUnavailableError',
      reason: 'timeout',
    });
    slow.open();
    await removed.promise;
    expect(readdirSync(join(directory, 'raw'))).toEqual(['zero']);
    expect(temporaryFiles(directory)).toEqual([]);
    // A file that is late before its rename never gets its name.
    expect(spy.count('rename raw/late')).toBe(isSlow('raw') ? 1 : 0);
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

/** A directory on a volume of its own, or null where we may not mount one. */
function newVolume(options: string): string | null {
  const directory = newDirectory();
  const unmount = mountSmallVolume(directory, options);
  if (unmount === null) return null;
  cleanups.push(unmount);
  return directory;
}

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
