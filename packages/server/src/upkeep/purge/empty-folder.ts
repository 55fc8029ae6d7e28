import type { ObjectStore } from '../../platform/objects/object-store.ts';

const OBJECTS_PER_STEP = 500;

/** Removes the objects of a folder, or those of them whose names begin so, in steps behind each of which it may be left. */
export async function* emptyFolder(
  objects: ObjectStore,
  folder: string,
  nameBegins = '',
): AsyncGenerator<void> {
  let deleted = OBJECTS_PER_STEP;
  while (deleted === OBJECTS_PER_STEP) {
    deleted = await objects.deleteFolder(folder, OBJECTS_PER_STEP, nameBegins);
    yield;
  }
}
