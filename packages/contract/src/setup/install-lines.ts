import type { HandedOut } from '../endpoints/server.ts';

/** The lines that people copy to install something of ours: one table for everything that shows them. */

/** The packages that a server hands out, without their scope `@culprit` (docs/contract/packages.md). */
export const PACKAGE_NAMES = ['node', 'browser', 'core', 'cli'] as const;
export type PackageName = (typeof PACKAGE_NAMES)[number];

/** The address of a server and the release of its packages. */
export interface PackageSource {
  baseUrl: string;
  version: string;
}

/** Package managers, each with its words for "add this". */
const ADD = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' } as const;
export type PackageManager = keyof typeof ADD;
export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const satisfies readonly PackageManager[];

/** Returns the path of a package, below the base URL. */
export function tarballPath(name: PackageName, version: string): string {
  return `/npm/@culprit/${name}/-/${name}-${version}.tgz`;
}

/** Returns the address of a package. */
export function tarballAddress({ baseUrl, version }: PackageSource, name: PackageName): string {
  return `${baseUrl}${tarballPath(name, version)}`;
}

/** Installs packages without a registry that knows their names. */
export function installLine(
  source: PackageSource,
  names: readonly PackageName[],
  manager: PackageManager = 'npm',
): string {
  return [ADD[manager], ...names.map((name) => packageArgument(source, name, manager))].join(' ');
}

/**
 * Returns the argument with which a package manager installs a package by its address. Yarn 2 and newer need its name
 * too.
 */
export function packageArgument(source: PackageSource, name: PackageName, manager: PackageManager): string {
  const address = tarballAddress(source, name);
  return manager === 'yarn' ? `@culprit/${name}@${address}` : address;
}

/**
 * The setting that makes a package manager request `@culprit` from this server: a file of the application, and its
 * text.
 */
interface RegistryFile {
  file: string;
  /** The package managers that read it. */
  readers: string;
  text: string;
}

/** One for each package manager. */
export function registryFiles(baseUrl: string): readonly RegistryFile[] {
  const host = new URL(baseUrl).hostname;
  // Yarn refuses plain HTTP to hosts that are not named.
  const plain = baseUrl.startsWith('http:') ? `unsafeHttpWhitelist:\n  - "${host}"\n` : '';
  return [
    { file: '.npmrc', readers: 'npm, pnpm, Yarn 1', text: `@culprit:registry=${baseUrl}/npm/\n` },
    {
      file: '.yarnrc.yml',
      readers: 'Yarn 2 and newer',
      text: `npmScopes:\n  culprit:\n    npmRegistryServer: "${baseUrl}/npm"\n${plain}`,
    },
    { file: 'bunfig.toml', readers: 'Bun', text: `[install.scopes]\nculprit = "${baseUrl}/npm/"\n` },
  ];
}

/** Runs the command line without installing it. */
export function commandLine(source: PackageSource, args: string): string {
  return `npx -y ${tarballAddress(source, 'cli')} ${args}`;
}

/** The program and its arguments by which an agent's host starts the command line. */
export function hostCommand(source: PackageSource, args: readonly string[]): [string, string[]] {
  return ['npx', ['-y', tarballAddress(source, 'cli'), ...args]];
}

/** Loads the browser library into a page that has no bundler, and starts it. */
export function scriptTag(
  baseUrl: string,
  script: Pick<HandedOut, 'script_path' | 'script_integrity'>,
  { token, service }: { token: string; service: string },
): string {
  return `<script src="${baseUrl}${script.script_path}" integrity="${script.script_integrity}" crossorigin="anonymous" data-token="${token}" data-service="${service}"></script>`;
}
