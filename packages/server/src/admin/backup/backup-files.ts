import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { CommandRefused } from '../command.ts';
import type { BackupFile } from './manifest.ts';

/** Writes a file for its owner only, synced when it resolves. */
export async function writeBackupFile(
  directory: string,
  path: string,
  source: AsyncIterable<Buffer>,
  options: { isCompressed: boolean },
): Promise<BackupFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* measured(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const place = createWriteStream(join(directory, path), { flags: 'wx', mode: 0o600, flush: true });
  if (options.isCompressed) await pipeline(source, createZstdCompress(), measured, place);
  else await pipeline(source, measured, place);
  return { path, bytes, sha256: hash.digest('hex') };
}

/** The content of a compressed file. */
export function readCompressed(directory: string, file: BackupFile): AsyncIterable<Buffer> {
  const content = createZstdDecompress();
  // A failure at one end is reported at the other.
  pipeline(createReadStream(join(directory, file.path)), content).catch(() => {});
  return content;
}

/** @throws CommandRefused for a file that is not there or not as it was written */
export async function checkBackupFile(directory: string, file: BackupFile): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(join(directory, file.path))) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw new CommandRefused(
      `the backup is damaged: ${file.path} cannot be read (${error instanceof Error ? error.message : 'unknown'})`,
    );
  }
  if (bytes !== file.bytes || hash.digest('hex') !== file.sha256) {
    throw new CommandRefused(
      `the backup is damaged: ${file.path} has changed since it was written; use another backup`,
    );
  }
}

/** Makes what was made or renamed in a directory outlive a crash of the machine. */
export async function syncDirectory(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
