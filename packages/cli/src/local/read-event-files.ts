import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalFile } from '@culprit/evidence/local/local-file';
import type { Skipped } from './event-directories.ts';

/** The most that a library writes, and that the event intake accepts, in one batch. */
const ARRAY_BYTES_MAX = 1_048_576;
/** No library rotates a file of lines. */
const LINES_BYTES_MAX = 16 * 1_048_576;
/** Twice what libraries keep in a directory; of more, the newest. */
const TOTAL_BYTES_MAX = 128 * 1_048_576;
const FILES_MAX = 10_000;

/** A file that could be read. */
export interface Candidate {
  path: string;
  name: string;
  receivedAtMs: number;
  format: LocalFile['format'];
}

/** Reads the files of events in some directories. Nothing is fatal: what cannot be read is named. */
export function readEventFiles(directories: readonly string[]): { files: LocalFile[]; skipped: Skipped[] } {
  const skipped: Skipped[] = [];
  const candidates = directories.flatMap((directory) => listEventFiles(directory, skipped));
  candidates.sort((a, b) => b.receivedAtMs - a.receivedAtMs || (a.name < b.name ? 1 : -1));
  const files: LocalFile[] = [];
  let bytesLeft = TOTAL_BYTES_MAX;
  for (const candidate of candidates) {
    if (files.length >= FILES_MAX || bytesLeft <= 0) {
      skipped.push({ file: candidate.path, why: 'is older than the newest 128 MiB or 10,000 files' });
      continue;
    }
    const read = readBounded(candidate);
    if (typeof read === 'string') {
      skipped.push({ file: candidate.path, why: read });
      continue;
    }
    bytesLeft -= read.length;
    const { name, receivedAtMs, format } = candidate;
    files.push({ name, receivedAtMs, format, bytes: read });
  }
  return { files, skipped: skipped.sort((a, b) => (a.file < b.file ? -1 : 1)) };
}

/** The files of events of a directory; those of other names are named as skipped. */
export function listEventFiles(directory: string, skipped: Skipped[]): Candidate[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      skipped.push({ file: directory, why: `cannot be read (${codeOf(error)})` });
    return [];
  }
  return names.flatMap((name): Candidate[] => {
    const path = join(directory, name);
    const refuse = (why: string): Candidate[] => {
      skipped.push({ file: path, why });
      return [];
    };
    if (name.startsWith('.')) return refuse('begins with a dot');
    try {
      const status = lstatSync(path);
      if (status.isSymbolicLink()) return refuse('is a symbolic link');
      if (!status.isFile()) return refuse('is not a file');
      const format = formatOf(name);
      if (format === null) return refuse('is not an event file');
      const receivedAtMs = timeOfName(name) ?? (format === 'lines' ? Math.floor(status.mtimeMs) : null);
      return receivedAtMs === null
        ? refuse('has no time in its name')
        : [{ path, name, receivedAtMs, format }];
    } catch (error) {
      return refuse(`cannot be read (${codeOf(error)})`);
    }
  });
}

function formatOf(name: string): LocalFile['format'] | null {
  if (name.endsWith('.events.json')) return 'array';
  return name.endsWith('.ndjson') ? 'lines' : null;
}

/** Beyond this, JavaScript has no dates. */
const TIME_MS_MAX = 8_640_000_000_000_000;

/** `<unix ms>-<sequence>-<service>`, or of Ruby `<YYYYMMDDTHHMMSS>-<24 hex>-<service>`. */
function timeOfName(name: string): number | null {
  const [, digits] = /^(\d{1,16})-\d{1,15}-/.exec(name) ?? [];
  if (digits !== undefined) return Number(digits) <= TIME_MS_MAX ? Number(digits) : null;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})-[0-9a-f]{24}-/.exec(name) ?? [];
  if (year === undefined) return null;
  const timeMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(timeMs) ? null : timeMs;
}

/** The bytes of a file, or why there are none. It is not followed if it became a link, nor waited for if it is a pipe. */
function readBounded({ path, format }: Candidate): Buffer | string {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return `cannot be read (${codeOf(error)})`;
  }
  try {
    const status = fstatSync(descriptor);
    const bytesMax = format === 'array' ? ARRAY_BYTES_MAX : LINES_BYTES_MAX;
    if (!status.isFile()) return 'is not a file';
    if (status.size > bytesMax) return `is larger than ${bytesMax / 1_048_576} MiB`;
    const bytes = Buffer.alloc(status.size);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } catch (error) {
    return `cannot be read (${codeOf(error)})`;
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
