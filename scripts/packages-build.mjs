import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfSources } from './built-from.mjs';
import { ROOT, withLock } from './install.mjs';
import { runNode } from './node24.mjs';

// Runs on the Node that is there, like everything that `npm start` does before the service.

const PACKED = join(ROOT, 'packages', 'server', 'packed');
const MARKER = join(PACKED, '.build.json');
/** The sources from which the packages are built (docs/contract/packages.md 2). */
const SOURCES = [
  'scripts/packages',
  'scripts/sdk',
  'scripts/cli',
  ...['sdk-core', 'sdk-node', 'sdk-browser', 'cli'].flatMap((folder) =>
    ['src', 'package.json', 'README.md', 'culprit-setup.json'].map((name) => `packages/${folder}/${name}`),
  ),
  'packages/contract/src',
  'packages/evidence/src',
  'packages/source-maps/src',
  'packages/mcp/src',
  'LICENSE',
  'package-lock.json',
];
const LOCK_PURPOSE = 'building the packages';

/** Returns true if the build belongs to the present sources. An image has the build and no tools to repeat it. */
export function arePackagesBuilt() {
  try {
    return JSON.parse(readFileSync(MARKER, 'utf8')).hash === hashOfSources(SOURCES);
  } catch {
    return false;
  }
}

/** Takes outdated packages away, so that the service waits for the next ones. */
export function retirePackages() {
  try {
    rmSync(PACKED, { recursive: true, force: true });
  } catch {
    // A read-only tree keeps what it has.
  }
}

/** Builds the packages unless they are built. Says what went wrong and returns false when it cannot be done. */
export async function ensurePackagesBuilt({ isForced = false } = {}) {
  let isWhole = true;
  await withLock(async () => {
    // The previous holder of the lock may have done the work.
    if (isForced || !arePackagesBuilt()) isWhole = await build();
  }, LOCK_PURPOSE);
  return isWhole;
}

async function build() {
  const begin = Date.now();
  const hash = hashOfSources(SOURCES);
  const aside = `${PACKED}.${process.pid}`;
  try {
    const { code, output } = await runNode([join(ROOT, 'scripts/packages/build.ts'), aside], {
      isCaptured: true,
    });
    if (code !== 0) throw new Error(output.trim());
    writeFileSync(join(aside, '.build.json'), `${JSON.stringify({ hash })}\n`);
    rmSync(PACKED, { recursive: true, force: true });
    renameSync(aside, PACKED);
    console.error(`Packages built in ${((Date.now() - begin) / 1_000).toFixed(1)} s.`);
    return true;
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    console.error(
      `The packages could not be built; the service works without them. Retry with: npm run build:packages\n${error.message}`,
    );
    return false;
  }
}
