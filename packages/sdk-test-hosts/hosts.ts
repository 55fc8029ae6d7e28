import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { once } from '../../scripts/sdk/once.ts';
import { runNpm } from '../../scripts/sdk/pack.ts';
import { ROOT } from '../../scripts/sdk/sdk-packages.ts';
import { packedSdk } from './packed-sdk.ts';

/** Hosts for the client libraries: real frameworks, real versions of Node, the libraries as they are published. */

const FOLDER = join(ROOT, 'packages/sdk-test-hosts');
const MODULES = join(FOLDER, 'node_modules');
const MARKER = join(MODULES, '.culprit-installed');

/** The versions of Node that the libraries support. */
export const NODE_VERSIONS = ['20', '22', '24', '26'] as const;
type NodeVersion = (typeof NODE_VERSIONS)[number];

/** Installs what the lockfile of this folder names, once until it changes. Returns its `node_modules`. */
export async function installHosts(): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  const isDone = () => existsSync(MARKER) && readFileSync(MARKER, 'utf8') === hash;
  await once(join(ROOT, 'node_modules/.cache/culprit-hosts.lock'), isDone, () => {
    runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=optional'], FOLDER);
    writeFileSync(MARKER, hash);
  });
  return MODULES;
}

/** The program of a version of Node, or null where the registry has none for this machine. */
export async function nodeProgram(version: NodeVersion): Promise<string | null> {
  if (version === '24') return process.execPath;
  const path = join(await installHosts(), `node-${version}`, 'bin/node');
  return existsSync(path) ? path : null;
}

/** A folder of an application, in which Node and bundlers find what it asked for. */
export interface HostFolder {
  path: string;
  /** Writes a file, with the folders above it. */
  write: (name: string, text: string) => string;
  remove: () => Promise<void>;
}

/**
 * A new folder with the packed client libraries in `node_modules`, and packages of this folder's lockfile under the
 * names that the application imports: `{ express: 'express-4' }`. What they depend on they find by themselves.
 */
export async function hostFolder(packages: Readonly<Record<string, string>> = {}): Promise<HostFolder> {
  const { nodeModules } = await packedSdk();
  const hosts = Object.keys(packages).length === 0 ? null : await installHosts();
  const path = mkdtempSync(join(tmpdir(), 'culprit-host-'));
  for (const name of readdirSync(join(nodeModules, '@culprit'))) {
    link(join(nodeModules, '@culprit', name), join(path, 'node_modules/@culprit', name));
  }
  for (const [name, installed] of Object.entries(packages)) {
    if (hosts !== null) link(join(hosts, installed), join(path, 'node_modules', name));
  }
  return folderAt(path);
}

/** What stands above a folder of `folderBelowHosts`; a bundler that takes no links must not look further. */
export const HOSTS_ROOT = FOLDER;

/**
 * The same for bundlers that follow no link out of the application: a folder below everything that the lockfile names,
 * which is found there, with copies of the packed client libraries.
 */
export async function folderBelowHosts(): Promise<HostFolder> {
  const { nodeModules } = await packedSdk();
  await installHosts();
  mkdirSync(join(FOLDER, '.hosts'), { recursive: true });
  const path = mkdtempSync(join(FOLDER, '.hosts/host-'));
  cpSync(join(nodeModules, '@culprit'), join(path, 'node_modules/@culprit'), { recursive: true });
  return folderAt(path);
}

/**
 * A folder outside of the repository into which npm has installed these packages and the packed client libraries, for
 * the long lane: what needs no place in the lockfile. The binary of a package may need its mark of a program.
 */
export async function installedFolder(
  packages: Readonly<Record<string, string>>,
  programs: readonly string[] = [],
): Promise<HostFolder> {
  const { tarballs } = await packedSdk();
  const path = mkdtempSync(join(tmpdir(), 'culprit-installed-'));
  writeFileSync(
    join(path, 'package.json'),
    JSON.stringify({ name: 'host', private: true, type: 'module', dependencies: packages }),
  );
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  runNpm(['install', ...quiet, ...tarballs.values()], path);
  for (const program of programs) chmodSync(join(path, 'node_modules', program), 0o755);
  return folderAt(path);
}

function folderAt(path: string): HostFolder {
  return {
    path,
    write(name, text) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

function link(target: string, path: string): void {
  if (!existsSync(target)) throw new Error(`${target} is not installed`);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'dir');
}
