import type { Environment } from '../config/folders.ts';
import { readState, stateKey, writeState } from './state-file.ts';

const DAY_MS = 86_400_000;
const REMEMBERED_ROWS_MAX = 100;

/** Remembers the rows of a list, so that `@3` and the end of an id name one of them. */
export function rememberList(
  environment: Environment,
  place: string,
  ids: readonly string[],
  nowMs = Date.now(),
): void {
  writeState(environment, `list-${stateKey(place)}`, {
    at_ms: nowMs,
    ids: ids.slice(0, REMEMBERED_ROWS_MAX),
  });
}

/** The rows of the last list of a place, when it is at most a day old. */
export function lastList(environment: Environment, place: string, nowMs = Date.now()): string[] {
  const state = readState(environment, `list-${stateKey(place)}`);
  const { at_ms: atMs, ids } = state ?? {};
  if (typeof atMs !== 'number' || nowMs - atMs > DAY_MS || !Array.isArray(ids)) return [];
  return ids.filter((id) => typeof id === 'string');
}
