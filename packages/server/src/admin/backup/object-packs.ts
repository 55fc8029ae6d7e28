import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRawKey } from '../../pipeline/stored-events/raw-keys.ts';
import { getIfThere, OBJECT_BYTES_MAX, type ObjectStore } from '../../platform/objects/object-store.ts';
import { CommandRefused } from '../command.ts';
import { writeBackupFile } from './backup-files.ts';
import type { BackupFile, BackupObjects } from './manifest.ts';

/** Many small objects in few files: each as the lengths of its key and its bytes, key, bytes. */
const PACK_BYTES = 1024 ** 3;
const HEADER_BYTES = 6;
/** Objects read ahead, each some hundred kilobytes: a store far away answers one after the other too slowly. */
const AT_ONCE = 8;
const MISSING_SHOWN_MAX = 100;

/** Copies the objects whose keys are in a file, one in each line, into packs of the backup. */
export async function packObjects(
  directory: string,
  keysFile: string,
  store: ObjectStore,
): Promise<BackupObjects> {
  const packs: BackupFile[] = [];
  const missingKeys: string[] = [];
  const found = { count: 0, bytes: 0, missing_count: 0, missing_keys: missingKeys };
  const keys = await open(join(directory, keysFile));
  const objects = readAhead(keys.readLines(), async (key) => ({ key, bytes: await getIfThere(store, key) }));

  async function* onePack(first: Buffer[]): AsyncGenerator<Buffer> {
    let packed = 0;
    for (let parts: Buffer[] | null = first; parts !== null; parts = await nextObject()) {
      for (const part of parts) {
        packed += part.length;
        yield part;
      }
      if (packed >= PACK_BYTES) return;
    }
  }

  async function nextObject(): Promise<Buffer[] | null> {
    for (;;) {
      const next = await objects.next();
      if (next.done === true) return null;
      const { key, bytes } = next.value;
      if (bytes !== null) {
        found.count += 1;
        found.bytes += bytes.length;
        const header = Buffer.alloc(HEADER_BYTES);
        header.writeUInt16BE(Buffer.byteLength(key), 0);
        header.writeUInt32BE(bytes.length, 2);
        return [header, Buffer.from(key), bytes];
      }
      found.missing_count += 1;
      if (found.missing_keys.length < MISSING_SHOWN_MAX) found.missing_keys.push(key);
    }
  }

  try {
    for (let first = await nextObject(); first !== null; first = await nextObject()) {
      const path = `objects/pack-${String(packs.length + 1).padStart(6, '0')}`;
      packs.push(await writeBackupFile(directory, path, onePack(first), { isCompressed: false }));
    }
  } finally {
    await keys.close();
  }
  return { ...found, packs };
}

/**
 * Puts the objects of a pack into a store; objects that exist already, from an earlier attempt, are no obstacle, and
 * one that has only grown since the backup stays unchanged.
 */
export async function unpackObjects(
  directory: string,
  pack: BackupFile,
  store: ObjectStore,
): Promise<number> {
  const file = await open(join(directory, pack.path), 'r');
  let count = 0;
  try {
    const puts = readAhead(packedObjects(file, pack.bytes), async ({ key, bytes }) => {
      if (parseRawKey(key)?.isAppended === true) await mendGrown(store, key, bytes);
      else await store.put(key, bytes);
    });
    for await (const _ of puts) count += 1;
  } finally {
    await file.close();
  }
  return count;
}

/** Puts the bytes of a backup where the object is not there or differs from them; what was appended since stays. */
async function mendGrown(store: ObjectStore, key: string, bytes: Buffer): Promise<void> {
  const present = (await getIfThere(store, key)) ?? Buffer.alloc(0);
  const isSound = present.length > 0 && bytes.equals(present.subarray(0, bytes.length));
  if (!isSound) await store.put(key, Buffer.concat([bytes, present.subarray(bytes.length)]));
}

async function* packedObjects(
  file: FileHandle,
  packBytes: number,
): AsyncGenerator<{ key: string; bytes: Buffer }> {
  for (let position = 0; position < packBytes; ) {
    const header = await readAt(file, position, HEADER_BYTES);
    const keyBytes = header.readUInt16BE(0);
    const objectBytes = header.readUInt32BE(2);
    if (objectBytes > OBJECT_BYTES_MAX) throw damaged();
    const key = await readAt(file, position + HEADER_BYTES, keyBytes);
    const bytes = await readAt(file, position + HEADER_BYTES + keyBytes, objectBytes);
    position += HEADER_BYTES + keyBytes + objectBytes;
    yield { key: key.toString(), bytes };
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw damaged();
    filled += bytesRead;
  }
  return bytes;
}

function damaged(): CommandRefused {
  return new CommandRefused('the backup is damaged: a file of objects ends too early');
}

/** Results in order, while some more of them are being worked on. */
async function* readAhead<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Looked at when its turn comes.
    result.catch(() => {});
    underWay.push(result);
    const oldest = underWay.length < AT_ONCE ? undefined : underWay.shift();
    if (oldest !== undefined) yield await oldest;
  }
  for (const result of underWay) yield await result;
}
