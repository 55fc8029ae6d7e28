import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { compressFrame, decompressFrame, isFrame } from '../../stored-events/raw-frame.ts';

/** Documents of incidents and improvements as their objects hold them: compressed to about a third. */

/**
 * Makes a document durable.
 * @throws ObjectStoreUnavailableError
 */
export async function storeDocument(objects: ObjectStore, key: string, document: Buffer): Promise<void> {
  await objects.put(key, await compressFrame(document));
}

/**
 * The document of `sizeBytes` that was stored; null when its object is cut or damaged.
 * @throws ObjectMissingError, ObjectStoreUnavailableError
 */
export async function readDocument(
  objects: ObjectStore,
  key: string,
  sizeBytes: number | null,
): Promise<Buffer | null> {
  const stored = await objects.get(key);
  const document = await contentOf(stored, sizeBytes ?? 0);
  return document?.length === sizeBytes ? document : null;
}

/** Installations of the commits before the first release have some that are not compressed; goes with that release. */
async function contentOf(stored: Buffer, sizeBytes: number): Promise<Buffer | null> {
  if (!isFrame(stored)) return stored;
  return await decompressFrame(stored, sizeBytes).catch(() => null);
}
