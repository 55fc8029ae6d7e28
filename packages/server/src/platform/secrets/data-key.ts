import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { makeDirectories } from '../make-directories.ts';
import { Secret } from './secret.ts';

/** The file with the installation's key cannot be used; the message is for operators. */
export class DataKeyError extends Error {
  override name = 'DataKeyError';
}

const KEY_FILE = 'data-key';
const KEY_BYTES = 32;

/**
 * The installation's key: `CULPRIT_DATA_KEY`, else the one in the data directory, made on the first start with mode
 * 0600 (docs/contract/account.md 14). Processes that come at the same moment get the same key.
 * @throws DataKeyError for a damaged file
 */
export async function readDataKey(config: Pick<Config, 'dataKey' | 'dataDir'>): Promise<Secret<Buffer>> {
  return (
    (await findDataKey(config)) ?? (await storeDataKey(config.dataDir, new Secret(randomBytes(KEY_BYTES))))
  );
}

/**
 * The installation's key where there is one already.
 * @throws DataKeyError for a damaged file
 */
export async function findDataKey(
  config: Pick<Config, 'dataKey' | 'dataDir'>,
): Promise<Secret<Buffer> | null> {
  if (config.dataKey !== null) return config.dataKey;
  const path = join(config.dataDir, KEY_FILE);
  const text = await readKeyFile(path);
  return text === null ? null : parseKey(path, text);
}

/** Keeps a key in a data directory; where one is there already, that one stays and is returned. */
export async function storeDataKey(dataDir: string, key: Secret<Buffer>): Promise<Secret<Buffer>> {
  const path = join(dataDir, KEY_FILE);
  return parseKey(path, await makeKeyFile(dataDir, path, key));
}

function parseKey(path: string, text: string): Secret<Buffer> {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new DataKeyError(
      `the key file ${path} is damaged; put it back from a backup. If you delete it, a new key is created and everything ` +
        'encrypted with the old one is lost',
    );
  }
  return new Secret(key);
}

/** A key of 32 bytes for one purpose (HKDF-SHA256), so that what serves one purpose is worthless for another. */
export function deriveKey(dataKey: Secret<Buffer>, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', dataKey.reveal(), '', `culprit:${purpose}`, KEY_BYTES));
}

async function readKeyFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Written elsewhere and linked into place: the first link decides, and no process ever reads half a key. */
async function makeKeyFile(directory: string, path: string, key: Secret<Buffer>): Promise<string> {
  await makeDirectories(directory, 0o777);
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${key.reveal().toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch((error: unknown) => {
      if (!isFileError(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return await readFile(path, 'utf8');
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
