import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Environment } from '../config/folders.ts';
import { isObject } from '../config/json-file.ts';
import { readState, removeState, stateKey, writeState } from '../state/state-file.ts';
import type { EventSource } from './event-lines.ts';

/** The progress of the import of a file, from which the same command continues. */
export interface ImportState {
  startedAtMs: number;
  /** Everything before it is done. */
  offset: number;
  line: number;
  /** Ranges of lines behind it that are done too. */
  done: [number, number][];
  accepted: number;
  rejected: number;
  reasons: Record<string, number>;
}

const TAIL_BYTES = 4096;

export function startOfImport(nowMs: number): ImportState {
  return { startedAtMs: nowMs, offset: 0, line: 0, done: [], accepted: 0, rejected: 0, reasons: {} };
}

/** The state of an earlier run, when the part of the file that it confirmed is as it was. */
export function readImportState(environment: Environment, source: EventSource): ImportState | null {
  const state = readState(environment, nameOf(source));
  if (state === null) return null;
  const { started_at_ms: startedAtMs, offset, line, tail, done, accepted, rejected, reasons } = state;
  const isSound =
    [startedAtMs, offset, line, accepted, rejected].every((each) => typeof each === 'number') &&
    typeof offset === 'number' &&
    tailHash(source.path, offset) === tail;
  if (!isSound) return null;
  return {
    startedAtMs: Number(startedAtMs),
    offset: Number(offset),
    line: Number(line),
    done: Array.isArray(done)
      ? done.flatMap((range): [number, number][] =>
          Array.isArray(range) && range.length === 2 ? [[Number(range[0]), Number(range[1])]] : [],
        )
      : [],
    accepted: Number(accepted),
    rejected: Number(rejected),
    reasons: isObject(reasons)
      ? Object.fromEntries(Object.entries(reasons).map(([reason, count]) => [reason, Number(count)]))
      : {},
  };
}

export function writeImportState(environment: Environment, source: EventSource, state: ImportState): void {
  const { startedAtMs, offset, line, done, accepted, rejected, reasons } = state;
  const tail = tailHash(source.path, offset);
  writeState(environment, nameOf(source), {
    started_at_ms: startedAtMs,
    offset,
    line,
    tail,
    done,
    accepted,
    rejected,
    reasons,
  });
}

export function removeImportState(environment: Environment, source: EventSource): void {
  removeState(environment, nameOf(source));
}

function nameOf({ origin, path }: EventSource): string {
  return `import-${stateKey(origin, path)}`;
}

/** Returns a hash of the last 4 KiB before an offset; null when the file is shorter. */
function tailHash(path: string, offset: number): string | null {
  try {
    const file = openSync(path, 'r');
    try {
      if (fstatSync(file).size < offset) return null;
      const bytes = Buffer.alloc(Math.min(TAIL_BYTES, offset));
      readSync(file, bytes, 0, bytes.length, offset - bytes.length);
      return createHash('sha256').update(bytes).digest('hex');
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
