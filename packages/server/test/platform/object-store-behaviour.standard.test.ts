import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { ObjectMissingError, type ObjectStore } from '../../src/platform/objects/object-store.ts';
import {
  openTestFiles,
  openTestS3,
  openTestS3WithoutRegion,
  type TestObjectStore,
} from '../support/object-stores.ts';

/** What every store does the same: files and S3. `s3-server.test.ts` proves that the S3 server behaves as Amazon's. */

const STORES = [
  { name: 'files', open: openTestFiles },
  { name: 'S3', open: openTestS3 },
  { name: 'S3 without a region', open: openTestS3WithoutRegion },
];

/** For one test. */
const newFolder = () => `raw/${newUuid()}`;

describe.each(STORES)('objects in $name', ({ open }) => {
  let opened: TestObjectStore;
  let store: ObjectStore;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());

  it('are read back as they were put, whole and by range, until they are deleted', async () => {
    const key = `${newFolder()}/2026-01-01/a.b_c-d`;
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
    await store.put(key, bytes);
    expect(await store.exists(key)).toBe(true);
    expect(await store.get(key)).toEqual(bytes);
    expect(await store.getRange(key, 70_001, 29_999)).toEqual(bytes.subarray(70_001));
    expect(await store.getRange(key, 0, 500)).toEqual(bytes.subarray(0, 500));
    await store.delete(key);
    await store.delete(key);
    expect(await store.exists(key)).toBe(false);
    await expect(store.get(key)).rejects.toThrow(ObjectMissingError);
  });

  it('may be empty, and of several megabytes', async () => {
    const folder = newFolder();
    await store.put(`${folder}/empty`, Buffer.alloc(0));
    expect(await store.get(`${folder}/empty`)).toEqual(Buffer.alloc(0));
    expect(await store.exists(`${folder}/empty`)).toBe(true);
    const large = Buffer.alloc(5_000_000, 'culprit');
    await store.put(`${folder}/large`, large);
    expect((await store.get(`${folder}/large`)).equals(large)).toBe(true);
  });

  it('are missing when never put, when the key is only a folder, and below another object', async () => {
    const folder = newFolder();
    await store.put(`${folder}/a`, Buffer.from('a'));
    for (const key of [`${folder}/b`, `${newFolder()}/a`, folder, `${folder}/a/b`]) {
      await expect(store.get(key)).rejects.toThrow(ObjectMissingError);
      await expect(store.getRange(key, 0, 1)).rejects.toThrow(ObjectMissingError);
      expect(await store.exists(key)).toBe(false);
      await store.delete(key);
    }
    expect(await store.get(`${folder}/a`)).toEqual(Buffer.from('a'));
  });

  it('have no bytes beyond their end', async () => {
    const key = `${newFolder()}/a`;
    await store.put(key, Buffer.from('0123456789'));
    expect((await store.getRange(key, 8, 2)).toString()).toBe('89');
    await expect(store.getRange(key, 8, 3)).rejects.toThrow(ObjectMissingError);
    await expect(store.getRange(key, 10, 1)).rejects.toThrow(ObjectMissingError);
    await expect(store.getRange(key, -1, 1)).rejects.toThrow(RangeError);
    await expect(store.getRange(key, 0, 0)).rejects.toThrow(RangeError);
  });

  it('are no folders', async () => {
    const key = `${newFolder()}/a`;
    await store.put(key, Buffer.from('a'));
    expect(await store.deleteFolder(key, 10)).toBe(0);
    expect(await store.exists(key)).toBe(true);
  });

  it.each([
    ...['', '/a', 'a/', 'a//b', '..', 'a/../b', 'a/..b', './a', 'a/.hidden', 'a..b', 'A', 'ä', 'a b', 'a\\b'],
    ...['a\u0000', 'tmp', 'tmp/a', 'a\n', `a${'b'.repeat(512)}`],
  ])('cannot have the key %j', async (key) => {
    await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
    await expect(store.get(key)).rejects.toThrow(TypeError);
    await expect(store.getRange(key, 0, 1)).rejects.toThrow(TypeError);
    await expect(store.delete(key)).rejects.toThrow(TypeError);
    await expect(store.deleteFolder(key, 10)).rejects.toThrow(TypeError);
    await expect(store.exists(key)).rejects.toThrow(TypeError);
  });

  it('are taken by a store that passes its check', async () => {
    await expect(store.check()).resolves.toBeUndefined();
  });
});

describe.each(STORES)('a folder in $name', ({ open }) => {
  it('is emptied in steps, and nothing beside it', async () => {
    const { store, close } = await open();
    const folder = newFolder();
    const doomed = Array.from({ length: 25 }, (_, i) => `${folder}/2026-01-0${(i % 3) + 1}/${i}`);
    const kept = [`${folder}0/2026-01-01/a`, `${newFolder()}/b`, `bundles/${folder}/c`, `${folder}a`];
    for (const key of [...doomed, ...kept]) await store.put(key, Buffer.from(key));
    const steps = [];
    let deleted = 10;
    while (deleted === 10) {
      deleted = await store.deleteFolder(folder, 10);
      steps.push(deleted);
    }
    expect(steps).toEqual([10, 10, 5]);
    for (const key of kept) expect((await store.get(key)).toString()).toBe(key);
    expect(await store.deleteFolder(folder, 10)).toBe(0);
    await close();
  });

  it('loses what has a name that begins so, in steps, and nothing else of it', async () => {
    const { store, close } = await open();
    const folder = newFolder();
    const doomed = Array.from({ length: 25 }, (_, i) => `${folder}/a-${i % 2 === 0 ? i : `sub/${i}`}`);
    const kept = [`${folder}/a`, `${folder}/a1-1`, `${folder}/b-1`, `${folder}/b-sub/a-1`, `${folder}0/a-1`];
    for (const key of [...doomed, ...kept]) await store.put(key, Buffer.from(key));
    const steps = [];
    let deleted = 10;
    while (deleted === 10) {
      deleted = await store.deleteFolder(folder, 10, 'a-');
      steps.push(deleted);
    }
    expect(steps).toEqual([10, 10, 5]);
    for (const key of doomed) expect(await store.exists(key)).toBe(false);
    for (const key of kept) expect((await store.get(key)).toString()).toBe(key);
    await close();
  });
});

describe.each(STORES)('a listing of $name', ({ open }) => {
  it('names every key of a folder once, however many there are, and nothing beside it', async () => {
    const { store, close } = await open();
    const folder = newFolder();
    const listed = Array.from({ length: 1203 }, (_, i) => `${folder}/2026-01-0${(i % 3) + 1}/${i}`);
    const beside = [`${folder}0/a`, `${folder}a`, `bundles/${folder}/c`];
    for (let start = 0; start < listed.length; start += 50) {
      await Promise.all(listed.slice(start, start + 50).map((key) => store.put(key, Buffer.from('x'))));
    }
    for (const key of beside) await store.put(key, Buffer.from('x'));
    expect((await keysOf(store.list(folder))).sort()).toEqual([...listed].sort());
    expect(await keysOf(store.list(newFolder()))).toEqual([]);
    await expect(keysOf(store.list('../a'))).rejects.toThrow(TypeError);
    await close();
  });
});

async function keysOf(listing: AsyncIterable<string>): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of listing) keys.push(key);
  return keys;
}
