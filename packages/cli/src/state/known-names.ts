import type { Environment } from '../config/folders.ts';
import { readState, writeState } from './state-file.ts';

/** Names that completion offers. It never asks the network, so commands note what they saw. */
export type NameKind = 'projects' | 'services' | 'environments' | 'incidents';

const NAMES_MAX = 200;
const FILE = 'names';

/** Adds names that a list showed; the latest come first. */
export function noteNames(environment: Environment, kind: NameKind, names: readonly string[]): void {
  if (names.length === 0) return;
  const state = readState(environment, FILE) ?? {};
  const all = [...new Set([...names, ...knownNames(environment, kind)])].slice(0, NAMES_MAX);
  writeState(environment, FILE, { ...state, [kind]: all });
}

export function knownNames(environment: Environment, kind: NameKind): string[] {
  const names = readState(environment, FILE)?.[kind];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
