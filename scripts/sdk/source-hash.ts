import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, SDK_PACKAGES } from './sdk-packages.ts';

/** Changes with everything that decides what is built of the client libraries. */
export function hashOfSources(): string {
  const hash = createHash('sha256');
  const folders = [
    join(ROOT, 'scripts/sdk'),
    ...SDK_PACKAGES.map(({ folder }) => join(ROOT, 'packages', folder)),
    join(ROOT, 'packages/contract'),
  ];
  for (const path of [...folders.flatMap(sourcesIn), join(ROOT, 'package-lock.json')]) {
    hash
      .update(`${relative(ROOT, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/** Returns the files that decide the packages: neither tests nor build output. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/^(?:dist|test|node_modules)\//.test(relative(folder, path)))
    .sort();
}
