import { lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writeWhole } from '../config/write-file.ts';
import { isChange, type PlannedFile } from './plan.ts';

/** The files that package managers change besides the installed packages. */
const MANAGED = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'pnpm-workspace.yaml',
];
const SECRET_MODE = 0o600;
const NEW_MODE = 0o644;

/** Files as they were, to be written back when something fails. */
export class Snapshot {
  readonly #files = new Map<string, { bytes: Buffer; mode: number } | null>();
  /** Folders that were not there, outermost first. */
  readonly #newFolders = new Set<string>();

  /** Remembers what planning found, and what a package manager would change from here upwards. */
  constructor(directory: string, planned: readonly PlannedFile[]) {
    for (const { path } of planned) this.#remember(resolve(directory, path));
    for (let folder = directory; ; folder = dirname(folder)) {
      for (const name of MANAGED) this.#remember(join(folder, name));
      if (isThere(join(folder, '.git')) || dirname(folder) === folder) break;
    }
  }

  restore(): void {
    for (const [path, file] of this.#files) {
      // An existing entry that is no file is not ours.
      if (file === null && isFile(path)) rmSync(path);
      if (file === null) continue;
      if (!isThere(path) || !readFileSync(path).equals(file.bytes)) writeWhole(path, file.bytes, file.mode);
    }
    for (const folder of this.#newFolders) rmSync(folder, { recursive: true, force: true });
  }

  #remember(path: string): void {
    this.#files.set(
      path,
      isFile(path) ? { bytes: readFileSync(path), mode: statSync(path).mode & 0o777 } : null,
    );
    for (let folder = dirname(path); !isThere(folder); folder = dirname(folder)) this.#newFolders.add(folder);
  }
}

/** Writes every file that changes. */
export function writePlanned(directory: string, files: readonly PlannedFile[]): void {
  for (const file of files.filter(isChange)) {
    const path = resolve(directory, file.path);
    const newMode = file.isSecret ? SECRET_MODE : NEW_MODE;
    writeWhole(path, file.after, file.before === null ? newMode : statSync(path).mode & 0o777);
  }
}

function isFile(path: string): boolean {
  return isThere(path) && statSync(path).isFile();
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
