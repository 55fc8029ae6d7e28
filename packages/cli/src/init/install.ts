import { spawn } from 'node:child_process';
import {
  PACKAGE_MANAGERS,
  type PackageManager,
  type PackageSource,
} from '@culprit/contract/setup/install-lines';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { visibleText } from '../output/visible-text.ts';
import type { Application } from './application.ts';
import type { ChosenFramework } from './choose-frameworks.ts';
import { libraryArgument } from './libraries.ts';

const OUTPUT_CHARS_MAX = 2000;

/** A command that adds the libraries to the application. */
export interface Installation {
  packages: string[];
  command: string;
  args: string[];
}

/** Returns the installation of the missing libraries; null when none is missing. */
export async function planInstallation(
  { directory, dependencies, manifest, isWorkspaceRoot }: Application,
  frameworks: readonly ChosenFramework[],
  { named, source }: { named: PackageManager | null; source: PackageSource | null },
): Promise<Installation | null> {
  const missing = new Map(
    frameworks
      .filter(({ library }) => !dependencies.has(library.name))
      .map(({ library }) => [library.name, `${library.name}@${library.version}`]),
  );
  if (manifest === null || missing.size === 0) return null;
  const { detect, resolveCommand } = await import('package-manager-detector');
  const agent = named ?? (await detect({ cwd: directory }))?.agent ?? 'npm';
  // `yarn@berry` is a Yarn.
  const manager = PACKAGE_MANAGERS.find((each) => agent.startsWith(each)) ?? 'npm';
  const addresses = [...missing.keys()].map((name) => libraryArgument(name, source, manager));
  const forRoot = agent === 'pnpm' ? ['-w'] : agent === 'yarn' ? ['-W'] : [];
  const resolved = resolveCommand(agent, 'add', [...(isWorkspaceRoot ? forRoot : []), ...addresses]);
  if (resolved === null) throw new Error(`${agent} has no command that adds packages`);
  return { packages: [...missing.values()], command: resolved.command, args: resolved.args };
}

/** Runs the package manager. What it says is shown when it fails. */
export async function install({ directory }: Application, { command, args }: Installation): Promise<void> {
  const line = [command, ...args].join(' ');
  const failed = (says: string) =>
    new CliError(`${line} failed${says === '' ? '' : `: ${says}`}`, {
      exit: EXIT.failed,
      code: 'install_failed',
      hint: 'run it by hand, then culprit init again; nothing was changed',
    });
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const hear = (text: string) => {
      said = `${said}${text}`.slice(-OUTPUT_CHARS_MAX);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', () => reject(failed('it is not installed here')));
    child.once('close', (code) => (code === 0 ? resolve() : reject(failed(visibleText(said.trim())))));
  });
}
