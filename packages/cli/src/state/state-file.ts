import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, stateFolder } from '../config/folders.ts';
import { isObject, readIfThere } from '../config/json-file.ts';
import { writeWhole } from '../config/write-file.ts';

/** A file of the state folder, which may be deleted at any time: one that cannot be read counts as none. */
export function readState(environment: Environment, name: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readIfThere(statePath(environment, name)) ?? 'null');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Writes state. A folder that cannot be written costs comfort and fails nothing. */
export function writeState(environment: Environment, name: string, value: object): void {
  try {
    writeWhole(statePath(environment, name), JSON.stringify(value));
  } catch {
    // Read-only homes are common in CI.
  }
}

export function removeState(environment: Environment, name: string): void {
  rmSync(statePath(environment, name), { force: true });
}

/** A file name for anything. */
export function stateKey(...parts: readonly string[]): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 24);
}

function statePath(environment: Environment, name: string): string {
  return join(stateFolder(environment), `${name}.json`);
}
