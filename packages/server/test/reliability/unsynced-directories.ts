import * as sound from '../../src/platform/objects/durable-directories.ts';
import { withoutDirectorySync } from './recorded-operations.ts';

/** Takes the place of the directories of the object store. */
export const createDurableDirectories: typeof sound.createDurableDirectories = (root, operations) =>
  sound.createDurableDirectories(root, withoutDirectorySync(operations));
