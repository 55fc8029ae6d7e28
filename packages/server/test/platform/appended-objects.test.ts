import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import {
  type ObjectPlace,
  type ObjectStore,
  ObjectStoreUnavailableError,
} from '../../src/platform/objects/object-store.ts';
import { cleanUp, gate, spiedStore, systemError } from './spied-store.ts';

afterEach(cleanUp);

const PREFIX = 'raw/p1/day/am-';

function append(store: ObjectStore, text: string, prefix = PREFIX): Promise<ObjectPlace> {
  if (store.append === null) throw new Error('the store cannot append');
  return store.append(prefix, Buffer.from(text));
}

async function read(store: ObjectStore, place: ObjectPlace, text: string): Promise<string> {
  return (await store.getRange(place.key, place.offset, text.length)).toString();
}

const filesOf = (directory: string) => readdirSync(join(directory, 'raw/p1/day'));

describe('what is appended', () => {
  it('lies one behind the other in an object whose key begins as asked, and is read by its place', async () => {
    const { store, directory } = await spiedStore();
    const texts = ['one', 'two and more', 'three'];
    const places: ObjectPlace[] = [];
    for (const text of texts) places.push(await append(store, text));
    const [first] = places;
    expect(first?.key).toMatch(/^raw\/p1\/day\/am-[0-9a-f-]{36}$/);
    expect(places).toEqual([0, 3, 15].map((offset) => ({ key: first?.key, offset })));
    for (const [index, text] of texts.entries()) {
      expect(await read(store, places[index] ?? { key: '', offset: 0 }, text)).toBe(text);
    }
    expect(filesOf(directory)).toHaveLength(1);
    expect((await append(store, 'x', 'raw/p1/day/pm-')).key).not.toBe(first?.key);
  });

  it.each([
    ['one write that syncs', true, ['open', 'write']],
    ['where writes do not sync, one write and one sync', false, ['open', 'write', 'fsync']],
  ])('is durable when it resolves: %s, nothing else', async (_, hasSyncedWrites, calls) => {
    const { store, spy } = await spiedStore({ hasSyncedWrites });
    const { key } = await append(store, 'one');
    spy.log.length = 0;
    await append(store, 'two');
    const isOfFlags = (line: string) => line.startsWith('synced writes');
    const steps = spy.log.filter((line) => !line.startsWith('close') && !isOfFlags(line));
    expect(steps).toEqual(calls.flatMap((name) => [`${name} ${key}`, `${name} ${key} done`]));
    expect(spy.log.filter(isOfFlags)).toEqual(hasSyncedWrites ? [`synced writes to ${key}`] : []);
  });

  it('while another is being synced shares the next sync, in the order of its coming', async () => {
    const { store, spy } = await spiedStore();
    await append(store, 'begun');
    const { reached, hold, open } = gate();
    spy.before = ({ name }) => (name === 'write' ? hold() : undefined);
    const first = append(store, '1');
    await reached;
    spy.log.length = 0;
    const others = ['22', '333', '4'].map((text) => append(store, text));
    open();
    const places = await Promise.all([first, ...others]);
    expect(places.map(({ offset }) => offset)).toEqual([5, 6, 8, 11]);
    expect(spy.log.filter((line) => line.startsWith('write') && !line.endsWith('done'))).toHaveLength(1);
    expect(await read(store, places[2] ?? { key: '', offset: 0 }, '333')).toBe('333');
  });

  it('never shares an object with another process', async () => {
    const { store, directory } = await spiedStore();
    const other = await createFileObjectStore({ directory, writeTimeoutMs: 3000 });
    const keys = [await append(store, '1'), await append(other, '2'), await append(store, '3')].map(
      ({ key }) => key,
    );
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('begins a new object when one has 4 MB', async () => {
    const { store } = await spiedStore();
    const large = 'x'.repeat(1024 * 1024);
    const places: ObjectPlace[] = [];
    for (let count = 0; count < 6; count += 1) places.push(await append(store, large));
    expect(places.map(({ offset }) => offset / large.length)).toEqual([0, 1, 2, 3, 0, 1]);
    expect(new Set(places.map(({ key }) => key)).size).toBe(2);
  });
});

describe('behind a failure', () => {
  it.each([
    ['open', 'EMFILE'],
    ['write', 'ENOSPC'],
    ['fsync', 'EIO'],
  ])(
    'of %s the bytes count as absent, what came before is there, and a new object is begun',
    async (step, code) => {
      const { store, spy, directory } = await spiedStore({ hasSyncedWrites: step !== 'fsync' });
      const before = await append(store, 'before');
      spy.before = ({ name }) => {
        if (name === step) throw systemError(code);
      };
      const failing = append(store, 'failing');
      await expect(failing).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(failing).rejects.toMatchObject({ reason: code });
      spy.before = () => {};
      expect((await store.get(before.key)).toString()).toBe('before');
      const after = await append(store, 'after');
      expect(after).toEqual({ key: after.key, offset: 0 });
      expect(after.key).not.toBe(before.key);
      expect(filesOf(directory)).toHaveLength(2);
    },
  );

  it('those that waited go into the new object', async () => {
    const { store, spy } = await spiedStore();
    const before = await append(store, 'before');
    const { reached, hold, open } = gate();
    let writes = 0;
    spy.before = async ({ name }) => {
      if (name !== 'write' || writes++ > 0) return;
      await hold();
      throw systemError('EIO');
    };
    const failing = append(store, 'failing');
    await reached;
    const waiting = append(store, 'waiting');
    open();
    await expect(failing).rejects.toMatchObject({ reason: 'EIO' });
    const place = await waiting;
    expect(place.key).not.toBe(before.key);
    expect(await read(store, place, 'waiting')).toBe('waiting');
  });

  it('a write that hangs is given up in time', async () => {
    const { store, spy } = await spiedStore({ writeTimeoutMs: 100 });
    const before = await append(store, 'before');
    const { hold, open } = gate();
    spy.before = ({ name, path }) => (name === 'write' && path === before.key ? hold() : undefined);
    await expect(append(store, 'hanging')).rejects.toMatchObject({ reason: 'timeout' });
    const after = await append(store, 'after');
    expect(after.offset).toBe(0);
    open();
  });

  it('a write that the system takes in pieces goes on where it was', async () => {
    const { store, spy } = await spiedStore();
    const before = await append(store, 'before');
    spy.writeBytesMax = 3;
    const place = await append(store, 'in pieces');
    expect(place).toEqual({ key: before.key, offset: 6 });
    expect(await read(store, place, 'in pieces')).toBe('in pieces');
  });
});

describe('an object that somebody else changed', () => {
  it('and cut while it is read as a whole is read as far as it goes', async () => {
    const { store, spy, directory } = await spiedStore();
    const { key } = await append(store, 'before');
    spy.before = ({ name }) => {
      if (name === 'read') truncateSync(join(directory, key), 2);
    };
    expect((await store.get(key)).toString()).toBe('be');
  });

  it('and removed is begun anew', async () => {
    const { store, directory } = await spiedStore();
    const before = await append(store, 'before');
    rmSync(join(directory, before.key));
    const after = await append(store, 'after');
    expect(await read(store, after, 'after')).toBe('after');
    expect(after.offset).toBe(0);
  });

  it('and cut keeps what is appended at its place', async () => {
    const { store, directory } = await spiedStore();
    const before = await append(store, 'before');
    truncateSync(join(directory, before.key), 2);
    const after = await append(store, 'after');
    expect(await read(store, after, 'after')).toBe('after');
  });

  it('because the store was moved away refuses what is appended, and goes on when it is back', async () => {
    const { store, directory } = await spiedStore();
    const before = await append(store, 'before');
    renameSync(directory, `${directory}-away`);
    writeFileSync(directory, '');
    await expect(append(store, 'lost')).rejects.toThrow(ObjectStoreUnavailableError);
    rmSync(directory);
    renameSync(`${directory}-away`, directory);
    const after = await append(store, 'after');
    expect(await read(store, before, 'before')).toBe('before');
    expect(await read(store, after, 'after')).toBe('after');
  });
});
