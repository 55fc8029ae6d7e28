import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { hashOfSources } from './built-from.mjs';
import { ROOT, withLock } from './install.mjs';
import { runNode } from './node24.mjs';

// Runs on the Node that is there, like everything that `npm start` does before the service.

const PACKAGE = join(ROOT, 'packages', 'dashboard');
const DIST = join(PACKAGE, 'dist');
const MARKER = join(DIST, '.build.json');
const FAILURE = join(PACKAGE, '.build-failed');
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
/** The sources from which the files are built (docs/contract/dashboard.md 2.3). */
const SOURCES = [
  'packages/dashboard/index.html',
  'packages/dashboard/package.json',
  'packages/dashboard/vite.config.ts',
  'packages/dashboard/build',
  'packages/dashboard/src',
  'packages/dashboard/public',
  'packages/contract/src',
  'packages/evidence/src',
  'package-lock.json',
];
const REASON_LINES = 15;
const LOCK_PURPOSE = 'building the dashboard';

/** Returns true if the build belongs to the present sources. An image has the build and no tools to repeat it. */
export function isDashboardBuilt() {
  try {
    return JSON.parse(readFileSync(MARKER, 'utf8')).hash === hashOfSources(SOURCES);
  } catch {
    return false;
  }
}

/**
 * Builds the dashboard unless it is built. Says what went wrong and returns false when it cannot be done; what was
 * built before stays then.
 */
export async function ensureDashboardBuilt({ isForced = false } = {}) {
  let isWhole = true;
  await withLock(async () => {
    // The previous holder of the lock may have done the work.
    if (isForced || !isDashboardBuilt()) isWhole = await build();
  }, LOCK_PURPOSE);
  return isWhole;
}

/** Takes an outdated build away, so that the service waits for the next one. */
export function retireDashboard() {
  try {
    rmSync(FAILURE, { force: true });
    rmSync(DIST, { recursive: true, force: true });
  } catch {
    // A read-only tree keeps what it has.
  }
}

async function build() {
  const begin = Date.now();
  const hash = hashOfSources(SOURCES);
  const aside = `${DIST}.${process.pid}`;
  const { code, output } = await runNode(
    [VITE, 'build', '--config', join(PACKAGE, 'vite.config.ts'), '--outDir', aside, '--logLevel', 'warn'],
    { isCaptured: true },
  );
  try {
    if (code !== 0) throw new Error(reasonIn(output));
    const id = hash.slice(0, 12);
    writeFileSync(join(aside, 'assets', 'build.json'), `${JSON.stringify({ build: id })}\n`);
    writeFileSync(join(aside, '.build.json'), `${JSON.stringify({ hash })}\n`);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(aside, DIST);
    rmSync(FAILURE, { force: true });
    console.error(`Dashboard built in ${((Date.now() - begin) / 1_000).toFixed(1)} s.`);
    return true;
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    noteFailure();
    console.error(
      `The dashboard could not be built; the API works without it. Retry with: npm run build:dashboard\n${error.message}`,
    );
    return false;
  }
}

/** Returns the error and its place, without colours and the calls inside of the tool. */
function reasonIn(output) {
  const lines = stripVTControlCharacters(output).trim().split('\n');
  return lines
    .filter((line) => !/^\s+at /.test(line))
    .slice(-REASON_LINES)
    .join('\n');
}

/** For the page that the service shows instead. */
function noteFailure() {
  try {
    writeFileSync(FAILURE, '');
  } catch {
    // A read-only tree: the page says that it is being built, and how to see why not.
  }
}
