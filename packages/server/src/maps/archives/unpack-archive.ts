import { hash } from 'node:crypto';
import { GENERATED_BYTES_MAX, MAP_PART_BYTES } from '@culprit/contract/releases/map-limits';
import type { Database } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { newPartKey } from '../map-keys.ts';
import { bytesKey, findByBytes } from '../records/source-maps.queries.ts';
import { admitFiles } from '../uploads/admit-files.ts';
import type { AnnouncedFile } from '../uploads/check-upload.ts';
import {
  insertFiles,
  insertStoredPart,
  setAnnouncedBytes,
  setVerdict,
} from '../uploads/upload-files.queries.ts';
import { countOpenUploads, lockUpload, type UploadRow } from '../uploads/uploads.queries.ts';
import { type ArchivedFile, readArchive, type SkippedFile } from './archive-files.ts';
import { setProblem } from './archives.queries.ts';
import { findArchiveChunks, findChunk, releaseChunks } from './chunks.queries.ts';
import { ArchiveFault, type ByteSource, readEntry } from './zip.ts';

interface Unpacking {
  database: Database;
  objects: ObjectStore;
  /** The limit of a project. */
  budgetBytes: number;
}

interface Target {
  projectId: string;
  uploadId: string;
  upload: UploadRow;
}

interface StoredPart {
  sha256: string;
  part: number;
  objectKey: string;
}

interface Unpacked {
  files: AnnouncedFile[];
  skipped: SkippedFile[];
  parts: StoredPart[];
}

/** The hash and size of a file that is not unpacked. */
const NO_BYTES = { sha256: hash('sha256', '', 'hex'), sizeBytes: 0 };

/**
 * Turns an archive into an upload like any other: its files announced and their parts stored
 * (docs/contract/source-maps.md 9). If it is killed in between, it restarts; its stored objects are deleted with the
 * folder of the upload.
 */
export async function unpackArchive(
  target: Target,
  { database, objects, budgetBytes }: Unpacking,
): Promise<void> {
  const { projectId, uploadId, upload } = target;
  const unpacked = await unpack(target, database, objects);
  const place = { projectId, uploadId };
  await database
    .transaction(async (transaction) => {
      if ((await lockProject(transaction, projectId)) === null) return;
      if ((await lockUpload(transaction, projectId, uploadId)) !== 'processing') return;
      if (typeof unpacked === 'string') await setProblem(transaction, projectId, uploadId, unpacked);
      else {
        const { files, skipped, parts } = unpacked;
        const sizeBytes = files.reduce(
          (sum, { generated, map }) => sum + generated.sizeBytes + map.sizeBytes,
          0,
        );
        await setAnnouncedBytes(transaction, place, sizeBytes);
        const { announcedBytes } = await countOpenUploads(transaction, projectId);
        await insertFiles(transaction, place, [
          ...files,
          ...skipped.map(({ path }) => ({ path, debugId: null, generated: NO_BYTES, map: NO_BYTES })),
        ]);
        for (const [at, { words }] of skipped.entries()) {
          await setVerdict(
            transaction,
            { ...place, position: files.length + at },
            { verdict: 'skipped', problem: null, words, sourceMapId: null, probe: null, fit: null },
          );
        }
        for (const part of parts) await insertStoredPart(transaction, { ...place, ...part });
        await admitFiles(
          transaction,
          place,
          { release: upload.release, files },
          { budgetBytes, announcedBytes: announcedBytes - sizeBytes },
        );
      }
      await releaseChunks(transaction, projectId, uploadId);
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof Problem && error.code === 'source_map_budget_exceeded')) throw error;
      await refuse(
        database,
        target,
        'The source maps of the project use its whole budget. Delete some, and upload again.',
      );
    });
}

async function refuse(database: Database, { projectId, uploadId }: Target, words: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await setProblem(transaction, projectId, uploadId, words);
    await releaseChunks(transaction, projectId, uploadId);
  });
}

/** The files of an archive with the parts that are new; words where it cannot be read. */
async function unpack(
  { projectId, uploadId, upload }: Target,
  database: Database,
  objects: ObjectStore,
): Promise<Unpacked | string> {
  try {
    const source = await openArchive(database, { projectId, uploadId, userId: upload.userId });
    const archive = await readArchive(source);
    const release = upload.release;
    const unpacked: Unpacked = { files: [], skipped: [...archive.skipped], parts: [] };
    const stored = new Set<string>();
    for (const file of archive.files) {
      const words = unusable(file, release);
      if (words !== null) {
        unpacked.skipped.push({ path: file.path, words });
        continue;
      }
      const announced = await unpackPair(
        file,
        source,
        async (pair) => {
          const known = await findByBytes(database, projectId, [pair]);
          return known.has(bytesKey(pair.mapSha256, pair.generatedSha256));
        },
        async (sha256, bytes) => {
          if (stored.has(sha256)) return;
          stored.add(sha256);
          for (let part = 0; part * MAP_PART_BYTES < bytes.length; part += 1) {
            const objectKey = newPartKey(projectId, uploadId, sha256, part);
            await objects.put(objectKey, bytes.subarray(part * MAP_PART_BYTES, (part + 1) * MAP_PART_BYTES));
            unpacked.parts.push({ sha256, part, objectKey });
          }
        },
      );
      unpacked.files.push(announced);
    }
    return unpacked;
  } catch (error) {
    if (error instanceof ArchiveFault) return error.message;
    throw error;
  }
}

function unusable({ path, debugId, generated, map }: ArchivedFile, release: string | null): string | null {
  if (debugId === null && release === null) {
    return `${path} has no debug id, and the upload has no release. Inject debug ids, or set a release.`;
  }
  if (generated.sizeBytes === 0 || map.sizeBytes === 0) return `${path} or its map is empty.`;
  return generated.sizeBytes > GENERATED_BYTES_MAX
    ? `${path} has ${generated.sizeBytes} bytes; the limit is ${GENERATED_BYTES_MAX}.`
    : null;
}

async function unpackPair(
  { path, debugId, generated, map }: ArchivedFile,
  source: ByteSource,
  isKnown: (pair: { mapSha256: string; generatedSha256: string }) => Promise<boolean>,
  store: (sha256: string, bytes: Buffer) => Promise<void>,
): Promise<AnnouncedFile> {
  const [code, text] = [await readEntry(source, generated), await readEntry(source, map)];
  const [codeHash, textHash] = [hash('sha256', code, 'hex'), hash('sha256', text, 'hex')];
  if (!(await isKnown({ mapSha256: textHash, generatedSha256: codeHash }))) {
    await store(codeHash, code);
    await store(textHash, text);
  }
  return {
    ...{ path, debugId },
    generated: { sha256: codeHash, sizeBytes: code.length },
    map: { sha256: textHash, sizeBytes: text.length },
  };
}

/** The chunks of an archive, one after the other. @throws ArchiveFault */
async function openArchive(
  database: Database,
  { projectId, uploadId, userId }: { projectId: string; uploadId: string; userId: string | null },
): Promise<ByteSource> {
  const chunks = (await findArchiveChunks(database, projectId, uploadId)) ?? [];
  const gone = () => new ArchiveFault('Parts of the upload no longer exist. Upload again.');
  if (userId === null || chunks.length === 0) throw gone();
  const starts: number[] = [];
  let sizeBytes = 0;
  for (const chunk of chunks) {
    if (chunk.sizeBytes === null) throw gone();
    starts.push(sizeBytes);
    sizeBytes += chunk.sizeBytes;
  }
  let latest: { index: number; bytes: Buffer } | null = null;
  async function chunkAt(index: number): Promise<Buffer> {
    if (latest?.index === index) return latest.bytes;
    const bytes = await findChunk(database, userId ?? '', chunks[index]?.sha1 ?? '');
    if (bytes === null) throw gone();
    latest = { index, bytes };
    return bytes;
  }
  return {
    sizeBytes,
    async read(offset, length) {
      const pieces: Buffer[] = [];
      const end = Math.min(offset + length, sizeBytes);
      let index = starts.findLastIndex((start) => start <= offset);
      for (let at = offset; at < end && index >= 0; index += 1) {
        const start = starts[index] ?? 0;
        const bytes = await chunkAt(index);
        const piece = bytes.subarray(at - start, end - start);
        pieces.push(piece);
        at += piece.length;
        if (piece.length === 0 && index + 1 >= starts.length) break;
      }
      return Buffer.concat(pieces);
    },
  };
}
