import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

// Runs on the Node that is there, like everything that `npm start` does before the service.

/** SHA-256 of files and everything below folders, with their names; of what is not there, nothing. Paths from the root. */
export function hashOfSources(sources) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of filesOf(join(ROOT, source))) {
      hash.update(path.slice(ROOT.length)).update('\0').update(readFileSync(path)).update('\0');
    }
  }
  return hash.digest('hex');
}

function filesOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}
