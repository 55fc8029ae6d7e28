import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { makeDirectories } from '../make-directories.ts';

/** The file system calls of the file object store, one method per call, so that tests can count and fail them. */
export interface FileOperations {
  open(path: string, flags: string, mode: number): Promise<number>;
  /** Bytes written, perhaps fewer than `length`; `position` is in the file. */
  write(file: number, bytes: Buffer, offset: number, length: number, position: number): Promise<number>;
  /** Bytes read, 0 at the end of the file. */
  read(file: number, into: Buffer, offset: number, length: number, position: number): Promise<number>;
  fsync(file: number): Promise<void>;
  close(file: number): Promise<void>;
  fileSize(file: number): Promise<number>;
  truncate(path: string, sizeBytes: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** With `recursive`, the first directory that had to be made, if any. */
  mkdir(path: string, options: { recursive: boolean; mode: number }): Promise<string | undefined>;
  rmdir(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<fs.Stats>;
  statfs(path: string): Promise<fs.StatsFs>;
}

/**
 * The real calls. Plain descriptors instead of `FileHandle`: a put costs six calls, and the handle objects would add a
 * tenth to it.
 */
export const realFileOperations: FileOperations = {
  open: promisify<string, string, number, number>(fs.open),
  write: (file, bytes, offset, length, position) =>
    new Promise((resolve, reject) => {
      fs.write(file, bytes, offset, length, position, (error, written) =>
        error ? reject(error) : resolve(written),
      );
    }),
  read: (file, into, offset, length, position) =>
    new Promise((resolve, reject) => {
      fs.read(file, into, offset, length, position, (error, read) => (error ? reject(error) : resolve(read)));
    }),
  fsync: promisify<number, void>(fs.fsync),
  close: promisify<number, void>(fs.close),
  fileSize: async (file) => (await fstat(file)).size,
  truncate: promisify<string, number, void>(fs.truncate),
  rename: promisify<string, string, void>(fs.rename),
  unlink: promisify<string, void>(fs.unlink),
  mkdir: (path, { recursive, mode }) => (recursive ? makeDirectories(path, mode) : mkdir(path, mode)),
  rmdir: promisify<string, void>(fs.rmdir),
  readdir: promisify<string, string[]>(fs.readdir),
  stat: promisify<string, fs.Stats>(fs.stat),
  statfs: promisify<string, fs.StatsFs>(fs.statfs),
};

const mkdir = promisify<string, number, undefined>((path, mode, done) =>
  fs.mkdir(path, mode, (error) => done(error, undefined)),
);
const fstat = promisify<number, fs.Stats>(fs.fstat);

/** The code of a system error (`ENOSPC`), or null for anything else, Node's own `ERR_…` for wrong arguments included. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return error.code.startsWith('ERR_') ? null : error.code;
}

/** No such file, a file where the key has a folder, or a folder where the key has a file. */
export function isAbsence(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}
