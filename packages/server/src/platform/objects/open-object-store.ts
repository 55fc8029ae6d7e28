import { createFileObjectStore } from './file-object-store.ts';
import { measured } from './measured-object-store.ts';
import { OBJECT_READ_TIMEOUT_MS, OBJECT_WRITE_TIMEOUT_MS, type ObjectStore } from './object-store.ts';
import type { S3Address } from './s3-address.ts';

/** The location of the objects: the same for every process of an installation. */
export type ObjectStoreLocation = { kind: 'files'; directory: string } | ({ kind: 's3' } & S3Address);

/**
 * Opens the store that is configured. Files: rejects with ObjectStoreUnavailableError when the directory cannot be
 * used. S3: asks nothing yet, so that a process can start while the store is away; `proveObjectStore` asks.
 */
export async function openObjectStore(place: ObjectStoreLocation): Promise<ObjectStore> {
  if (place.kind === 'files') {
    return measured(
      await createFileObjectStore({
        directory: place.directory,
        writeTimeoutMs: OBJECT_WRITE_TIMEOUT_MS,
      }),
    );
  }
  // The client takes 90 ms and 35 MB to load: only for those who use it.
  const { createS3ObjectStore } = await import('./s3-object-store.ts');
  return measured(
    createS3ObjectStore({
      address: place,
      writeTimeoutMs: OBJECT_WRITE_TIMEOUT_MS,
      readTimeoutMs: OBJECT_READ_TIMEOUT_MS,
    }),
  );
}

/** The place in words, for operators. */
export function placeText(place: ObjectStoreLocation): string {
  if (place.kind === 'files') return `the directory ${place.directory}`;
  const path = place.prefix === '' ? place.bucket : `${place.bucket}/${place.prefix}`;
  return `s3://${path}${place.endpoint === null ? '' : ` at ${place.endpoint}`}`;
}
