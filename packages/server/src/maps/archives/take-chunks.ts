import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MAP_UPLOAD_BYTES_MAX } from '@culprit/contract/releases/map-limits';
import type { Database } from '../../platform/db/database.ts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { findChunkUsage, insertChunk } from './chunks.queries.ts';

/** Bytes of a chunk, and how many one request brings. */
export const CHUNK_BYTES_MAX = 4_194_304;
export const CHUNKS_PER_REQUEST = 16;
/** The limit of bytes of a request, with the text around the chunks. */
export const CHUNK_REQUEST_BYTES_MAX = 16_777_216;
/** Chunks of a person that wait to become an archive. */
const CHUNKS_MAX = 4096;

const unpack = promisify(gunzip);

/**
 * Keeps the chunks of a form (docs/contract/source-maps.md 9): each is named by the SHA-1 of its bytes.
 * @throws Problem `invalid_payload`, `resource_limit_reached`
 */
export async function takeChunks(
  database: Database,
  userId: string,
  { bytes, contentType }: { bytes: Buffer; contentType: string | undefined },
): Promise<void> {
  const form = await readForm(bytes, contentType);
  const parts = [...form].filter(([name]) => name === 'file' || name === 'file_gzip');
  if (parts.length > CHUNKS_PER_REQUEST) {
    throw invalidPayload('', `has ${parts.length} chunks; the limit is ${CHUNKS_PER_REQUEST}`);
  }
  let { chunks, sizeBytes } = await findChunkUsage(database, userId);
  for (const [name, value] of parts) {
    if (typeof value === 'string') throw invalidPayload('', 'has a chunk that is not a file');
    const packed = Buffer.from(await value.arrayBuffer());
    const chunk = name === 'file' ? packed : await unpacked(packed);
    const sha1 = value.name.toLowerCase();
    if (chunk === null || chunk.length > CHUNK_BYTES_MAX) {
      throw invalidPayload('', `has a chunk that is not gzip data of at most ${CHUNK_BYTES_MAX} bytes`);
    }
    if (hash('sha1', chunk, 'hex') !== sha1)
      throw invalidPayload('', 'has a chunk whose bytes differ from its name');
    chunks += 1;
    sizeBytes += chunk.length;
    if (chunks > CHUNKS_MAX || sizeBytes > MAP_UPLOAD_BYTES_MAX) throw new Problem('resource_limit_reached');
    await insertChunk(database, userId, { sha1, bytes: chunk });
  }
}

async function readForm(bytes: Buffer, contentType: string | undefined): Promise<FormData> {
  try {
    const body = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) as Uint8Array<ArrayBuffer>;
    return await new Response(body, { headers: { 'content-type': contentType ?? '' } }).formData();
  } catch {
    throw invalidPayload('', 'is not a multipart form');
  }
}

async function unpacked(packed: Buffer): Promise<Buffer | null> {
  try {
    return await unpack(packed, { maxOutputLength: CHUNK_BYTES_MAX });
  } catch {
    return null;
  }
}
