import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isAbsence } from '../../platform/objects/file-operations.ts';
import { CommandRefused } from '../command.ts';

/** A file of a backup as it was written. */
export interface BackupFile {
  /** Below the backup's directory, with `/`. */
  path: string;
  bytes: number;
  /** The hash of the stored file, in hexadecimal digits. */
  sha256: string;
}

/** One table: its rows are the text of `COPY`, compressed with zstd. */
export interface BackupTable {
  name: string;
  /** In the order of the file. */
  columns: string[];
  rows: number;
  file: BackupFile;
}

/** The contents of a backup. It is written last, so a directory without it is no backup. */
export interface Manifest {
  format: 1;
  backup_id: string;
  /** The time by the database's clock: the backup contains everything that was committed before. */
  made_at: string;
  /** The release that made it. */
  version: string;
  postgres_version: string;
  migrations: { name: string; checksum: string }[];
  tables: BackupTable[];
  /** UTC days with a partition of events, `2026-03-24`. */
  event_days: string[];
  sequences: { table: string; column: string; last_value: number }[];
  /** The id of the object store to which the rows belong; null if it has none. */
  store_id: string | null;
  /** Null: a copy of the database alone. */
  objects: BackupObjects | null;
  /** The key from the data directory; null where it comes from `CULPRIT_DATA_KEY` and is not part of the backup. */
  data_key: BackupFile | null;
  /** The value that shows whether a key is the one that the secrets in the rows need; null if the backup saw no key. */
  data_key_check: string | null;
}

export interface BackupObjects {
  count: number;
  bytes: number;
  packs: BackupFile[];
  /** Named by a row, but not in the store. */
  missing_count: number;
  /** The first of them. */
  missing_keys: string[];
}

export const MANIFEST_FILE = 'manifest.json';

const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 0 };

function record(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties) };
}
function listOf(items: object): object {
  return { type: 'array', items };
}
function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

const file = record({
  // Nothing outside the backup is read.
  path: { type: 'string', pattern: '^[a-z0-9_-]+(/[a-z0-9_-]+)?(\\.[a-z]+)*$' },
  bytes: count,
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
});
const isManifest = new Ajv2020({ allowUnionTypes: true }).compile<Manifest>(
  record({
    format: { const: 1 },
    backup_id: { type: 'string', pattern: '^[0-9a-f-]{36}$' },
    made_at: text,
    version: text,
    postgres_version: text,
    migrations: listOf(record({ name: text, checksum: text })),
    tables: listOf(record({ name: text, columns: listOf(text), rows: count, file })),
    event_days: listOf({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    sequences: listOf(record({ table: text, column: text, last_value: count })),
    store_id: orNull(text),
    objects: orNull(
      record({ count, bytes: count, packs: listOf(file), missing_count: count, missing_keys: listOf(text) }),
    ),
    data_key: orNull(file),
    data_key_check: orNull(text),
  }),
);

/** @throws CommandRefused where there is no complete backup of a known kind */
export async function readManifest(directory: string): Promise<Manifest> {
  const path = join(directory, MANIFEST_FILE);
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandRefused(
      isAbsence(error)
        ? `${directory} is not a complete backup: it contains no ${MANIFEST_FILE}`
        : `${directory} is not a complete backup: ${path} cannot be read (${error instanceof Error ? error.message : 'unknown'})`,
    );
  }
  if (!isManifest(content)) {
    throw new CommandRefused(
      `${path} is damaged, or was written by a release that is newer than this one; restore with the release that created the backup`,
    );
  }
  return content;
}

/** Everything the manifest names. */
export function filesOf(manifest: Manifest): BackupFile[] {
  return [
    ...manifest.tables.map((table) => table.file),
    ...(manifest.objects?.packs ?? []),
    ...(manifest.data_key === null ? [] : [manifest.data_key]),
  ];
}
