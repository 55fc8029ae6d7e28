import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Skipped } from './event-directories.ts';

const STATE_BYTES_MAX = 4 * 1_048_576;

/**
 * Returns the times when incidents were resolved, from the `state.json` next to the directories of events
 * (docs/contract/clients.md 11.2). A state that cannot be read counts as none, and is named.
 */
export function readResolutions(directories: readonly string[]): {
  resolvedAtMs: Map<string, number>;
  skipped: Skipped[];
} {
  const resolvedAtMs = new Map<string, number>();
  const skipped: Skipped[] = [];
  for (const directory of directories) {
    const path = join(dirname(directory), 'state.json');
    try {
      const status = lstatSync(path);
      if (!status.isFile() || status.size > STATE_BYTES_MAX)
        throw new Error('is not a file of a usable size');
      for (const [incidentId, timeMs] of resolutionsIn(JSON.parse(readFileSync(path, 'utf8')))) {
        resolvedAtMs.set(incidentId, timeMs);
      }
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing) skipped.push({ file: path, why: 'is not a local mode state' });
    }
  }
  return { resolvedAtMs, skipped };
}

/** Pairs of `{"resolved": {"inc_…": "<receive time>"}}`; others are left out. */
function resolutionsIn(state: unknown): [string, number][] {
  if (!isObject(state) || !isObject(state.resolved)) throw new Error('no state');
  return Object.entries(state.resolved).flatMap(([incidentId, time]): [string, number][] => {
    const timeMs = typeof time === 'string' ? parseRequestTimestamp(time) : null;
    return timeMs === null ? [] : [[incidentId, timeMs]];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
