import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, readIfThere } from '../config/json-file.ts';
import type { ApplicationFolder } from './application.ts';
import { findEntryFile } from './entry-file.ts';
import type { FrameworkSetup } from './setup-file.ts';

/** The place of the lines that start a client library, and if they exist. */

/** Next.js looks for the file beside its pages, which are in `src` in some applications. */
export function placeOf({ directory }: ApplicationFolder, { name }: FrameworkSetup, path: string): string {
  const isInSource =
    name === 'next' &&
    ['app', 'pages'].every((folder) => !existsSync(join(directory, folder))) &&
    ['app', 'pages'].some((folder) => existsSync(join(directory, 'src', folder)));
  return isInSource ? join('src', path) : path;
}

const ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mjs'];

/** The file, or the same one in TypeScript. */
export function existingVariant(directory: string, path: string): { path: string; text: string } | null {
  const stem = path.replace(/\.jsx?$/, '');
  for (const each of new Set([path, ...ENDINGS.map((ending) => `${stem}${ending}`)])) {
    const text = readIfThere(join(directory, each));
    if (text !== null) return { path: each, text };
  }
  return null;
}

/**
 * Returns true if a file or a script that starts the application names the library; null when none of them was found.
 */
export function startsLibrary(application: ApplicationFolder, setup: FrameworkSetup): boolean | null {
  const { directory, manifest } = application;
  const entry = findEntryFile(application, setup.entry);
  const scripts = isObject(manifest?.scripts) ? JSON.stringify(manifest.scripts) : '';
  const texts = [
    ...setup.files.map(
      ({ path }) => existingVariant(directory, placeOf(application, setup, path))?.text ?? '',
    ),
    entry === null ? '' : (readIfThere(join(directory, entry)) ?? ''),
    scripts,
  ];
  if (texts.some((text) => text.includes(setup.library))) return true;
  return entry === null && setup.files.length === 0 ? null : false;
}
