import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { usageError } from '../cli-error.ts';
import { isObject, readIfThere } from '../config/json-file.ts';
import type { Context } from '../context.ts';
import type { Input } from '../input.ts';
import { askChoice } from '../output/ask.ts';
import { visibleLine } from '../output/visible-text.ts';
import { dependenciesOf, readManifest } from './libraries.ts';

export interface ApplicationFolder {
  /** The folder of its manifest; without one, the folder in which the command was called. */
  directory: string;
  /** Null when it is not one of JavaScript. */
  manifest: Readonly<Record<string, unknown>> | null;
}

/** The application that is set up. */
export interface Application extends ApplicationFolder {
  dependencies: ReadonlySet<string>;
  /** The name that incidents will use. */
  service: string;
  /** The library finds the name by itself, in the manifest. */
  isServiceKnown: boolean;
  /** The package manager requires a flag when a root of workspaces gets its own dependency. */
  isWorkspaceRoot: boolean;
}

/** Finds the application: the nearest manifest, and in a workspace the package that is meant. */
export async function findApplication(context: Context, input: Input): Promise<Application> {
  const from = resolve(context.directory, input.args[0] ?? '.');
  if (!existsSync(from)) throw usageError(`There is no folder ${visibleLine(from)}.`);
  const root = nearestManifest(from);
  const directory = root === null ? from : await chooseWorkspace(context, root);
  const manifest = readManifest(directory);
  const name = typeof manifest?.name === 'string' && manifest.name !== '' ? manifest.name : null;
  const named = input.text('service');
  return {
    directory,
    manifest,
    dependencies: dependenciesOf(manifest ?? {}),
    service: named ?? name ?? basename(directory),
    isServiceKnown: named === null && name !== null,
    isWorkspaceRoot: manifest !== null && workspacesOf(directory, manifest).length > 0,
  };
}

function nearestManifest(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return null;
  }
}

/** The package of a workspace that is meant; the folder itself when it is none. */
async function chooseWorkspace(context: Context, root: string): Promise<string> {
  const folders = workspacesOf(root, readManifest(root) ?? {});
  if (folders.length === 0) return root;
  const names = folders.map((folder) => relative(root, folder));
  const chosen = await askChoice(
    context,
    'Which package of the workspace?',
    names.map((name) => ({ value: name, label: name })),
    () =>
      usageError(
        `This is a workspace of several packages: ${names.map(visibleLine).join(', ')}.`,
        `choose one: culprit init ${names[0] ?? 'DIR'}`,
      ),
  );
  return join(root, chosen);
}

/** Folders of the packages of a workspace, as its root names them. */
function workspacesOf(root: string, manifest: Readonly<Record<string, unknown>>): string[] {
  const { workspaces } = manifest;
  const named = isObject(workspaces) ? workspaces.packages : workspaces;
  const patterns = Array.isArray(named)
    ? named.filter((each) => typeof each === 'string')
    : pnpmPackages(readIfThere(join(root, 'pnpm-workspace.yaml')) ?? '');
  const folders = patterns.flatMap((pattern) => {
    if (!/\/\*\*?$/.test(pattern)) return [join(root, pattern)];
    const parent = join(root, pattern.replace(/\/\*\*?$/, ''));
    return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
  });
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, 'package.json'))).sort();
}

/** The list `packages:` of pnpm-workspace.yaml. */
function pnpmPackages(text: string): string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('packages:'));
  if (from === -1) return [];
  const patterns: string[] = [];
  for (const line of lines.slice(from + 1).map((each) => each.trim())) {
    if (line.startsWith('- '))
      patterns.push(
        line
          .slice(2)
          .trim()
          .replace(/^['"]|['"]$/g, ''),
      );
    else if (line !== '' && !line.startsWith('#')) break;
  }
  return patterns;
}
