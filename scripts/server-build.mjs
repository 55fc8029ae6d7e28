import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfSources } from './built-from.mjs';
import { ROOT, withLock } from './install.mjs';
import { runNode } from './node24.mjs';

// Runs on the Node that is there, like everything that `npm start` does before the service.

const PACKAGE = join(ROOT, 'packages', 'server');
/** The built code finds files of the repository by their place relative to `packages/server/src/roles`, one as deep. */
const BUILDS = join(PACKAGE, 'dist');
const SOURCE = join(PACKAGE, 'src', 'main.ts');
const SOURCES = [
  'packages/contract/src',
  'packages/evidence/src',
  'packages/mcp/src',
  'packages/server/src',
  'packages/source-maps/src',
  'scripts/build-server.ts',
  'package-lock.json',
];
/** A service that runs loads more files of its build when it needs them, so builds of newer sources leave it some. */
const BUILDS_KEPT = 8;
const LOCK_PURPOSE = 'building the server';

/**
 * Resolves to the folder with the server as `npm start` runs it: `main.js`, and beside it what its processes and threads
 * begin with. Why: docs/decisions/0008-server-put-together.md. Builds it unless that was done from the same sources. Null
 * when it cannot be built, which is said.
 * @param programs sources of further programs for the folder, with paths from the root
 */
export async function ensureServerBuilt({ programs = [] } = {}) {
  const folder = join(BUILDS, hashOfSources([...SOURCES, ...programs]).slice(0, 16));
  if (existsSync(folder)) return folder;
  let isWhole = true;
  try {
    await withLock(async () => {
      // The previous holder of the lock may have done the work.
      if (!existsSync(folder)) isWhole = await build(folder, programs);
    }, LOCK_PURPOSE);
  } catch (error) {
    sayFailure(error.message);
    return null;
  }
  return isWhole ? folder : null;
}

/**
 * Returns the program to run: the built server, or its sources if it cannot be built, which work as well and take more
 * memory.
 */
export async function serverProgram() {
  const folder = await ensureServerBuilt();
  return folder === null
    ? { main: SOURCE, isBuilt: false }
    : { main: join(folder, 'main.js'), isBuilt: true };
}

async function build(folder, programs) {
  const begin = Date.now();
  const aside = `${folder}.${process.pid}`;
  const further = programs.map((path) => join(ROOT, path));
  const { code, output } = await runNode([join(ROOT, 'scripts', 'build-server.ts'), aside, ...further], {
    isCaptured: true,
  });
  if (code !== 0) {
    rmSync(aside, { recursive: true, force: true });
    sayFailure(output.trim());
    return false;
  }
  renameSync(aside, folder);
  deleteOldBuilds();
  console.error(`Server built in ${((Date.now() - begin) / 1_000).toFixed(1)} s.`);
  return true;
}

function sayFailure(reason) {
  console.error(`The server could not be built; its sources run instead.\n${reason}`);
}

function deleteOldBuilds() {
  const builds = readdirSync(BUILDS)
    .map((name) => join(BUILDS, name))
    .map((path) => ({ path, builtAtMs: statSync(path).mtimeMs }))
    .sort((a, b) => b.builtAtMs - a.builtAtMs);
  for (const { path } of builds.slice(BUILDS_KEPT)) rmSync(path, { recursive: true, force: true });
}
