import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isObject } from '../config/json-file.ts';
import { writeWhole } from '../config/write-file.ts';
import type { ImportState } from './import-state.ts';

const BYTES_MAX = 64 * 1_048_576;

/** A line that was not accepted: an event as JSON, or the text of what is none. */
export type Rejection = { line: number; reason: string } & ({ json: Buffer } | { text: string });

/** Lines that were not accepted, with line number and reason, beside the file that they came from. */
export class RejectedFile {
  readonly path: string;
  #isFull = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Drops what an interrupted run wrote of lines that are sent again. */
  begin(state: ImportState): void {
    if (!existsSync(this.path)) return;
    const kept = readFileSync(this.path, 'utf8')
      .split('\n')
      .filter((text) => isDone(lineOf(text), state));
    if (kept.length === 0) rmSync(this.path);
    else writeWhole(this.path, `${kept.join('\n')}\n`);
  }

  add(rejected: readonly Rejection[]): void {
    if (rejected.length === 0 || this.#isFull) return;
    const text = rejected.map(textOf).join('\n');
    const size = existsSync(this.path) ? statSync(this.path).size : 0;
    this.#isFull = size + text.length > BYTES_MAX;
    if (!this.#isFull) appendFileSync(this.path, `${text}\n`, { mode: 0o600 });
  }

  get exists(): boolean {
    return existsSync(this.path);
  }
}

function textOf(rejection: Rejection): string {
  const { line, reason } = rejection;
  if ('text' in rejection) return JSON.stringify({ line, reason, text: rejection.text });
  return `{"line":${line},"reason":${JSON.stringify(reason)},"event":${rejection.json}}`;
}

function lineOf(text: string): number | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.line === 'number' ? value.line : null;
  } catch {
    return null;
  }
}

/** Returns true if a line was confirmed before. */
export function isDone(line: number | null, { line: confirmed, done }: ImportState): boolean {
  if (line === null) return false;
  return line <= confirmed || done.some(([from, to]) => line >= from && line <= to);
}
