import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type PackageManager,
  type PackageName,
  type PackageSource,
  packageArgument,
} from '@culprit/contract/setup/install-lines';
import { CliError } from '../cli-error.ts';
import { isObject, readIfThere } from '../config/json-file.ts';
import { EXIT } from '../exit-codes.ts';
import { type FrameworkSetup, parseSetupFile } from './setup-file.ts';

const SETUP_FILE = 'culprit-setup.json';
const DOWNLOAD_MAX_MS = 120_000;

/** The client libraries. Only they define the content of their setup files. */
export const LIBRARIES = ['@culprit/node', '@culprit/browser'] as const;

/** A client library in the version that is installed here, or that the package manager would install. */
export interface Library {
  name: string;
  version: string;
  frameworks: FrameworkSetup[];
}

/** The library with its setup file: the installed one, else the server's, which is looked at and not yet installed. */
export async function readLibrary(
  directory: string,
  name: (typeof LIBRARIES)[number],
  source: PackageSource | null,
): Promise<Library> {
  return installedLibrary(directory, name) ?? (await downloadedLibrary(directory, name, source));
}

/**
 * Returns the argument with which a package manager installs a library of the server. By its name alone a stranger's
 * package could be installed.
 */
export function libraryArgument(name: string, source: PackageSource | null, manager: PackageManager): string {
  const short = SHORT_NAMES[name];
  if (source === null || short === undefined) {
    throw new CliError(`The package ${name} is not installed, and no server provides it.`, {
      exit: EXIT.unreachable,
      code: 'library_not_found',
      hint: 'give the server: --url URL; or install the package from a file, then run culprit init again',
    });
  }
  return packageArgument(source, short, manager);
}

const SHORT_NAMES: Readonly<Record<string, PackageName>> = {
  '@culprit/node': 'node',
  '@culprit/browser': 'browser',
};

/** Returns the package that Node finds from this folder. */
export function installedLibrary(directory: string, name: string): Library | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    const found = libraryIn(join(folder, 'node_modules', name), name);
    if (found !== null || dirname(folder) === folder) return found;
  }
}

function libraryIn(folder: string, name: string): Library | null {
  const manifest = readIfThere(join(folder, 'package.json'));
  const setup = readIfThere(join(folder, SETUP_FILE));
  if (manifest === null || setup === null) return null;
  const value: unknown = JSON.parse(manifest);
  const version = isObject(value) && typeof value.version === 'string' ? value.version : '0.0.0';
  return { name, version, frameworks: parseSetupFile(name, setup) };
}

/** Downloads it into a temporary folder: nothing of the application is touched by that. */
async function downloadedLibrary(
  directory: string,
  name: string,
  source: PackageSource | null,
): Promise<Library> {
  const address = libraryArgument(name, source, 'npm');
  const temporary = mkdtempSync(join(tmpdir(), 'culprit-init-'));
  const run = promisify(execFile);
  try {
    const { stdout } = await run(
      'npm',
      ['pack', address, '--silent', '--ignore-scripts', '--pack-destination', temporary],
      { cwd: directory, timeout: DOWNLOAD_MAX_MS },
    );
    const tarball = join(temporary, stdout.trim().split('\n').at(-1) ?? '');
    await run('tar', ['-xzf', tarball, '-C', temporary], { timeout: DOWNLOAD_MAX_MS });
    const found = libraryIn(join(temporary, 'package'), name);
    if (found !== null) return found;
  } catch (error) {
    if (error instanceof CliError) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  throw new CliError(`The package ${address} cannot be downloaded.`, {
    exit: EXIT.unreachable,
    code: 'library_not_found',
    hint: 'check that npm reaches the server, then run culprit init again',
  });
}

/** Names of the packages that a manifest asks for. */
export function dependenciesOf(manifest: Readonly<Record<string, unknown>>): Set<string> {
  return new Set(
    ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) => {
      const part = manifest[key];
      return isObject(part) ? Object.keys(part) : [];
    }),
  );
}

/** A manifest, or null when there is none. */
export function readManifest(folder: string): Record<string, unknown> | null {
  const text = readIfThere(join(folder, 'package.json'));
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    throw new CliError(`${join(folder, 'package.json')} is not JSON.`, {
      exit: EXIT.usage,
      code: 'usage',
      hint: 'fix the file first',
    });
  }
}
