import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { openCopySession } from '../../platform/db/copy-session.ts';
import { newUuid } from '../../platform/ids.ts';
import { makeDirectories } from '../../platform/make-directories.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { findDataKey } from '../../platform/secrets/data-key.ts';
import { VERSION } from '../../version.ts';
import { syncDirectory, writeBackupFile } from './backup-files.ts';
import { dataKeyCheck } from './data-key-check.ts';
import { dumpTables } from './dump-tables.ts';
import { MANIFEST_FILE, type Manifest } from './manifest.ts';
import { packObjects } from './object-packs.ts';

const OBJECT_KEYS_FILE = 'object-keys';

/**
 * Writes a backup that becomes `to` when it is whole, and nothing before: all tables as they were at one moment, the
 * objects they name, and the data key where it is a file. What is being written lies beside it as `<to>.unfinished-…`.
 * @param source.objects null for the database alone
 */
export async function createBackup(
  to: string,
  source: { databaseUrl: string; objects: ObjectStore | null; config: Pick<Config, 'dataKey' | 'dataDir'> },
): Promise<Manifest> {
  const place = resolve(to);
  const unfinished = `${place}.unfinished-${randomBytes(4).toString('hex')}`;
  await makeDirectories(dirname(place), 0o700);
  for (const folder of ['', 'tables', 'objects']) await mkdir(join(unfinished, folder), { mode: 0o700 });
  try {
    const manifest = await writeParts(unfinished, source);
    await writeManifest(unfinished, manifest);
    for (const folder of ['tables', 'objects', '']) await syncDirectory(join(unfinished, folder));
    await rename(unfinished, place);
    await syncDirectory(dirname(place));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function writeParts(
  directory: string,
  { databaseUrl, objects, config }: Parameters<typeof createBackup>[1],
): Promise<Manifest> {
  const session = await openCopySession({
    url: databaseUrl,
    applicationName: 'culprit-backup',
    connectTimeoutMs: 10_000,
  });
  // The snapshot ends with it, before the objects are copied, because it keeps the database from tidying up.
  const database = await dumpTables(session, directory, OBJECT_KEYS_FILE).finally(() => session.close());
  const packed = objects === null ? null : await packObjects(directory, OBJECT_KEYS_FILE, objects);
  await rm(join(directory, OBJECT_KEYS_FILE));
  const key = await findDataKey(config);
  const isKeyInFile = config.dataKey === null && key !== null;
  return {
    format: 1,
    backup_id: newUuid(),
    version: VERSION,
    ...database,
    objects: packed,
    data_key: isKeyInFile
      ? await writeBackupFile(directory, 'data-key', once(`${key.reveal().toString('base64')}\n`), {
          isCompressed: false,
        })
      : null,
    data_key_check: key === null ? null : dataKeyCheck(key),
  };
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const file = await open(join(directory, MANIFEST_FILE), 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
