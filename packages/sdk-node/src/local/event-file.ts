import {
  closeSync,
  constants,
  fsync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './error-code.ts';
import { ensureDirectory, refusal } from './own-directory.ts';

/** Files with events (docs/contract/ingestion.md 8.4, docs/contract/clients.md 11.3). */

export const EVENT_FILE_ENDING = '.events.json';
export const TEMPORARY_PREFIX = '.tmp-';

const FILE_MODE = 0o600;
/** Smaller contents are written before the call returns: the disk puts them into its cache immediately. */
const SYNCHRONOUS_BYTES_MAX = 64 * 1024;
const SERVICE_CHARACTERS_MAX = 100;
const NAME_ATTEMPTS_MAX = 100_000;

interface NewEventFile {
  directory: string;
  service: string;
  nowMs: number;
  /** A JSON array of events. */
  json: string;
  /** Waits until the disk has it, so that it survives a loss of power. */
  isSynced: boolean;
}

/** A file name of this process that is unique, and the temporary file that reserves it. */
interface Reserved {
  descriptor: number;
  temporary: string;
  target: string;
}

let sequence = 0;

/** Writes a file before it returns, and returns its path. Throws what the system says and leaves nothing behind. */
export function writeEventFileSync(file: NewEventFile): string {
  return withReserved(file, ({ descriptor }) => {
    writeWholeSync(descriptor, Buffer.from(`${file.json}\n`));
    if (!file.isSynced) return;
    try {
      fsyncSync(descriptor);
    } catch (error) {
      passDenied(error);
    }
  });
}

/** The same without blocking for larger files. */
export async function writeEventFile(file: NewEventFile): Promise<string> {
  if (!file.isSynced && file.json.length * 3 <= SYNCHRONOUS_BYTES_MAX) return writeEventFileSync(file);
  const bytes = Buffer.from(`${file.json}\n`);
  if (!file.isSynced && bytes.length <= SYNCHRONOUS_BYTES_MAX) return writeEventFileSync(file);
  const reserved = reserve(file);
  try {
    await writeWhole(reserved.descriptor, bytes);
    if (file.isSynced) await promisify(fsync)(reserved.descriptor).catch(passDenied);
  } catch (error) {
    abandon(reserved);
    throw error;
  }
  return publish(reserved);
}

/**
 * Gives a file a free name again that begins with the given one. Two processes may have had the name at different
 * times, so it may be taken.
 */
export function renameToFreeName(from: string, directory: string, name: string): string {
  const [, ms = '', service = ''] = /^(\d+)-\d+-(.+?)(?:\.events\.json)?$/.exec(name) ?? [];
  const first = lockName(directory, name);
  const reserved = first ?? reserve({ directory, service, nowMs: Number(ms) });
  try {
    renameSync(from, reserved.target);
    return reserved.target;
  } finally {
    abandon(reserved);
  }
}

/** The milliseconds and the sequence of a file name, for sorting; null for a name of another form. */
export function parseFileName(name: string): { ms: number; sequence: number } | null {
  const [, ms, number] = /^(\d{1,16})-(\d{1,12})-/.exec(name) ?? [];
  return ms === undefined || number === undefined ? null : { ms: Number(ms), sequence: Number(number) };
}

/** Returns the part of a service's name that file names contain. */
export function serviceInName(service: string): string {
  const text = service.slice(0, SERVICE_CHARACTERS_MAX).replace(/[^A-Za-z0-9._-]+/g, '-');
  return text.replace(/^-+/, '').replace(/-+$/, '') || 'service';
}

/**
 * Under `--permission` Node syncs no file. The file is complete all the same, unless the system fails immediately
 * after.
 */
function passDenied(error: unknown): void {
  if (errorCode(error) !== 'ERR_ACCESS_DENIED') throw error;
}

function withReserved(file: NewEventFile, fill: (reserved: Reserved) => void): string {
  const reserved = reserve(file);
  try {
    fill(reserved);
  } catch (error) {
    abandon(reserved);
    throw error;
  }
  return publish(reserved);
}

function reserve({
  directory,
  service,
  nowMs,
}: Pick<NewEventFile, 'directory' | 'service' | 'nowMs'>): Reserved {
  ensureDirectory(directory);
  for (let attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt += 1) {
    sequence += 1;
    const name = `${nowMs}-${String(sequence).padStart(4, '0')}-${serviceInName(service)}${EVENT_FILE_ENDING}`;
    const reserved = lockName(directory, name);
    if (reserved !== null) return reserved;
  }
  throw refusal(directory, 'EEXIST');
}

/**
 * Creates the temporary file of a name. Its own name follows from milliseconds and sequence, so it is a lock on them:
 * the holder that finds the name free is the only one that can publish under it. Null when it is taken.
 */
function lockName(directory: string, name: string): Reserved | null {
  const parsed = parseFileName(name);
  if (parsed === null) return null;
  const hex = `${parsed.ms.toString(16)}${parsed.sequence.toString(16).padStart(10, '0')}`;
  const temporary = join(directory, `${TEMPORARY_PREFIX}${hex}`);
  const target = join(directory, name);
  let descriptor: number;
  try {
    descriptor = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return null;
    throw error;
  }
  const reserved = { descriptor, temporary, target };
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found === undefined) return reserved;
  abandon(reserved);
  if (found.isSymbolicLink()) throw refusal(target, 'ELOOP');
  return null;
}

function publish({ descriptor, temporary, target }: Reserved): string {
  try {
    closeSync(descriptor);
    renameSync(temporary, target);
  } catch (error) {
    ignoreErrors(() => unlinkSync(temporary));
    throw error;
  }
  return target;
}

function abandon({ descriptor, temporary }: Reserved): void {
  ignoreErrors(() => closeSync(descriptor));
  ignoreErrors(() => unlinkSync(temporary));
}

function ignoreErrors(run: () => void): void {
  try {
    run();
  } catch {
    // Cleaning after a failure, which is what the caller hears of.
  }
}

function writeWholeSync(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written);
  }
}

async function writeWhole(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await promisify(write)(descriptor, bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
