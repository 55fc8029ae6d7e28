import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { type FileOperations, realFileOperations } from '../../src/platform/objects/file-operations.ts';
import { mountSmallVolume } from '../support/small-volume.ts';

/** A file store whose system calls are written down, and can be held or made to fail. */

const cleanups: (() => void)[] = [];

/** Removes what the tests of a file made; for `afterEach`. */
export function cleanUp(): void {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
}

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-objects-'));
  // What was given up may still be writing, and makes a folder that was empty full again.
  cleanups.push(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return directory;
}

type Call = { name: keyof FileOperations; path: string; nth: number };

/** Real calls, written down as `fsync raw/p1` when they begin and as `fsync raw/p1 done` when they ended well. */
export class Spy {
  readonly log: string[] = [];
  readonly directory: string;
  /** Awaited before each call; may throw a system error in its place or hold it. */
  before: (call: Call) => Promise<void> | void = () => {};
  writeBytesMax = Number.POSITIVE_INFINITY;
  private calls = 0;
  private readonly files = new Map<number, string>();

  constructor(directory: string) {
    this.directory = directory;
  }

  readonly operations: FileOperations = {
    open: (path, flags, mode) =>
      this.call('open', path, async () => {
        const file = await realFileOperations.open(path, flags, mode);
        this.files.set(file, path);
        if (flags.includes('s')) this.log.push(`synced writes to ${relative(this.directory, path)}`);
        return file;
      }),
    write: (file, bytes, offset, length, position) =>
      this.call('write', this.pathOf(file), () =>
        realFileOperations.write(file, bytes, offset, Math.min(length, this.writeBytesMax), position),
      ),
    read: (file, into, offset, length, position) =>
      this.call('read', this.pathOf(file), () =>
        realFileOperations.read(file, into, offset, length, position),
      ),
    fsync: (file) => this.call('fsync', this.pathOf(file), () => realFileOperations.fsync(file)),
    // A descriptor is closed also where the call is told to fail, as the system does it.
    close: async (file) => {
      await realFileOperations.close(file);
      await this.call('close', this.pathOf(file), async () => {});
    },
    fileSize: (file) => this.call('fileSize', this.pathOf(file), () => realFileOperations.fileSize(file)),
    truncate: (path, sizeBytes) =>
      this.call('truncate', path, () => realFileOperations.truncate(path, sizeBytes)),
    rename: (from, to) => this.call('rename', to, () => realFileOperations.rename(from, to)),
    unlink: (path) => this.call('unlink', path, () => realFileOperations.unlink(path)),
    mkdir: (path, options) => this.call('mkdir', path, () => realFileOperations.mkdir(path, options)),
    rmdir: (path) => this.call('rmdir', path, () => realFileOperations.rmdir(path)),
    readdir: (path) => this.call('readdir', path, () => realFileOperations.readdir(path)),
    stat: (path) => this.call('stat', path, () => realFileOperations.stat(path)),
    statfs: (path) => this.call('statfs', path, () => realFileOperations.statfs(path)),
  };

  private async call<T>(name: keyof FileOperations, path: string, run: () => Promise<T>): Promise<T> {
    const short = relative(this.directory, path) || '.';
    const line = `${name} ${short.startsWith('tmp/') ? 'tmp/*' : short}`;
    this.log.push(line);
    await this.before({ name, path: short, nth: this.calls++ });
    const result = await run();
    this.log.push(`${line} done`);
    return result;
  }

  private pathOf(file: number): string {
    return this.files.get(file) ?? `descriptor ${file}`;
  }

  count(line: string): number {
    return this.log.filter((each) => each === line).length;
  }
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Resolves when the spied call begins. */
export function gate(): { reached: Promise<void>; hold: () => Promise<void>; open: () => void } {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    hold: () => {
      reached.resolve();
      return opened.promise;
    },
    open: opened.resolve,
  };
}

export async function spiedStore(
  options: { writeTimeoutMs?: number; nowMs?: () => number; hasSyncedWrites?: boolean } = {},
) {
  const directory = newDirectory();
  const spy = new Spy(directory);
  const { operations } = spy;
  const store = await createFileObjectStore({ directory, writeTimeoutMs: 3000, operations, ...options });
  spy.log.length = 0;
  return { directory, spy, store };
}

export const temporaryFiles = (directory: string) => readdirSync(join(directory, 'tmp'));

/** A directory on a volume of its own, or null where we may not mount one. */
export function newVolume(options: string): string | null {
  const directory = newDirectory();
  const unmount = mountSmallVolume(directory, options);
  if (unmount === null) return null;
  cleanups.push(unmount);
  return directory;
}
