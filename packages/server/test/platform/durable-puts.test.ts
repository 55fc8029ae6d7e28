import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { ObjectStoreUnavailableError } from '../../src/platform/objects/object-store.ts';
import { cleanUp, gate, newDirectory, Spy, spiedStore, systemError, temporaryFiles } from './spied-store.ts';

afterEach(cleanUp);

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
