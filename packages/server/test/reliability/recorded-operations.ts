import type { Database, Parameter, Statement } from '../../src/platform/db/database.ts';
import type { FileOperations } from '../../src/platform/objects/file-operations.ts';
import { type TraceStep, writtenSteps } from './intake-trace.ts';

/** The same operations, noted when they begin or are done. */
export function recordOperations(sound: FileOperations, steps: TraceStep[]): FileOperations {
  const paths = new Map<number, string>();
  const syncing = new Set<number>();
  const pathOf = (file: number) => paths.get(file) ?? '';
  return {
    ...sound,
    async open(path, flags, mode) {
      const file = await sound.open(path, flags, mode);
      paths.set(file, path);
      // Numbers of files are used again.
      if (flags.includes('s')) syncing.add(file);
      else syncing.delete(file);
      return file;
    },
    async write(file, bytes, offset, length, position) {
      const written = await sound.write(file, bytes, offset, length, position);
      steps.push(...writtenSteps(pathOf(file), position, syncing.has(file)));
      return written;
    },
    async fsync(file) {
      steps.push({ kind: 'sync begins', path: pathOf(file) });
      await sound.fsync(file);
      steps.push({ kind: 'synced', path: pathOf(file) });
    },
    async rename(from, to) {
      await sound.rename(from, to);
      steps.push({ kind: 'renamed', path: from, to });
    },
    async mkdir(path, options) {
      const first = await sound.mkdir(path, options);
      steps.push({ kind: 'directory made', path });
      return first;
    },
  };
}

/** The same database, with the commits of the intake noted. */
export function recordCommits(
  sound: Database,
  steps: TraceStep[],
  pathOf: (objectKey: string) => string,
): Database {
  return {
    ...sound,
    async query<Row extends object>(statement: Statement, parameters: readonly Parameter[] = []) {
      if (!statement.name.startsWith('ingest-commit')) return await sound.query<Row>(statement, parameters);
      const batches: { object_key: string; object_offset: number | null }[] = JSON.parse(
        String(parameters[0]),
      );
      const places = batches.map((batch) => ({
        path: pathOf(batch.object_key),
        offset: batch.object_offset ?? 0,
      }));
      for (const place of places) steps.push({ kind: 'commit begins', ...place });
      const rows = await sound.query<Row>(statement, parameters);
      for (const place of places) steps.push({ kind: 'committed', ...place });
      return rows;
    },
  };
}

/** A defect: directories are opened and closed, and never synced. */
export function withoutDirectorySync(sound: FileOperations): FileOperations {
  const directories = new Set<number>();
  return {
    ...sound,
    async open(path, flags, mode) {
      const file = await sound.open(path, flags, mode);
      // Files are opened for writing before they are synced.
      if (flags === 'r') directories.add(file);
      else directories.delete(file);
      return file;
    },
    async fsync(file) {
      if (!directories.has(file)) await sound.fsync(file);
    },
  };
}
