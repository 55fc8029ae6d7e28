import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSdk } from './build.ts';
import { once } from './once.ts';
import { ROOT, SDK_PACKAGES } from './sdk-packages.ts';
import { hashOfSources } from './source-hash.ts';

const CACHE = join(ROOT, 'node_modules/.cache');
const LOCK = join(CACHE, 'culprit-build.lock');
/** Holds the hash of the sources that the folders `dist` were built of. */
const MARKER = join(CACHE, 'culprit-built');

/** Builds the client libraries into their folders `dist`, unless what is there was built of the same sources. */
export async function ensureBuilt(): Promise<void> {
  await once(LOCK, isBuilt, build);
}

/** Builds the client libraries into their folders `dist`. */
export async function buildInPlace(): Promise<void> {
  rmSync(MARKER, { force: true });
  await ensureBuilt();
}

function isBuilt(): boolean {
  return (
    existsSync(MARKER) &&
    readFileSync(MARKER, 'utf8') === hashOfSources() &&
    SDK_PACKAGES.every(({ folder }) => existsSync(join(ROOT, 'packages', folder, 'dist')))
  );
}

/** Built apart first, so that a process that uses the old files never finds half of the new ones. */
async function build(): Promise<void> {
  const hash = hashOfSources();
  mkdirSync(CACHE, { recursive: true });
  const staging = mkdtempSync(join(CACHE, 'culprit-build-'));
  try {
    await buildSdk(({ folder }) => join(staging, folder));
    for (const { folder } of SDK_PACKAGES) {
      const dist = join(ROOT, 'packages', folder, 'dist');
      rmSync(dist, { recursive: true, force: true });
      renameSync(join(staging, folder, 'dist'), dist);
    }
    writeFileSync(MARKER, hash);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
