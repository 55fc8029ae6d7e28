import {
  MAP_UPLOAD_BODY_BYTES_MAX,
  MAP_UPLOAD_BYTES_MAX,
  MAP_UPLOAD_FILES_MAX,
} from '@culprit/contract/releases/map-limits';
import {
  beginMapUpload,
  finishMapUpload,
  getMapUpload,
  type MapUpload,
  putMapPart,
} from '@culprit/contract/releases/map-uploads';
import type { Api } from '../api/api.ts';
import { readBuilt } from './packed-files.ts';
import { mapBytesOf, type PreparedFile } from './prepare-files.ts';
import type { SourceRoot } from './source-texts.ts';

const WAIT_SECONDS = 5;
const PARTS_UNDER_WAY = 2;
/** The size of the first call's body besides its files. */
const BODY_BYTES_REST = 1024;

interface UploadOptions {
  api: Api;
  projectId: string;
  release: string | null;
  sourceRoot: SourceRoot;
  signal: AbortSignal;
  /** Called with the number of sent bytes. */
  onSent: (bytes: number) => void;
}

/** Uploads files in batches that the server takes; null when it was interrupted. */
export async function uploadFiles(
  files: readonly PreparedFile[],
  options: UploadOptions,
  onDone: (upload: MapUpload) => void,
): Promise<boolean> {
  for (const batch of batchesOf(files)) {
    const upload = await uploadBatch(batch, options);
    if (upload === null) return false;
    onDone(upload);
  }
  return true;
}

async function uploadBatch(
  files: readonly PreparedFile[],
  options: UploadOptions,
): Promise<MapUpload | null> {
  const { api, projectId, release, signal } = options;
  const params = { id: projectId };
  const begun = await api.call(beginMapUpload, {
    params,
    body: {
      release,
      files: files.map(({ path, debug_id, generated, map }) => ({ path, debug_id, generated, map })),
    },
  });
  const ofUpload = { ...params, uploadId: begun.upload.upload_id };
  if (begun.missing.length > 0) {
    const { missing } = await api.call(getMapUpload, { params: ofUpload, query: {} });
    await sendMissing(files, missing, begun.part_bytes, ofUpload, options);
  }
  if (signal.aborted) return null;
  let { upload } = await api.call(finishMapUpload, { params: ofUpload });
  while (upload.state === 'processing' || upload.state === 'open') {
    if (signal.aborted) return null;
    ({ upload } = await api.call(getMapUpload, { params: ofUpload, query: { wait_seconds: WAIT_SECONDS } }));
  }
  return upload;
}

/** Sends the parts that the server lacks, two at a time; parts of one file go in order. */
async function sendMissing(
  files: readonly PreparedFile[],
  missing: readonly { sha256: string; parts: readonly number[] }[],
  partBytes: number,
  ofUpload: { id: string; uploadId: string },
  { api, sourceRoot, signal, onSent }: UploadOptions,
): Promise<void> {
  const waiting = [...missing];
  const sendFiles = async () => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const { sha256, parts } = next;
      const bytes = bytesOf(files, sha256, sourceRoot);
      if (bytes === null) continue;
      for (const part of parts) {
        if (signal.aborted) return;
        const body = new Uint8Array(bytes.subarray(part * partBytes, (part + 1) * partBytes));
        await api.call(putMapPart, { params: { ...ofUpload, sha256, part: String(part) }, body });
        onSent(body.length);
      }
    }
  };
  await Promise.all(Array.from({ length: PARTS_UNDER_WAY }, sendFiles));
}

function bytesOf(files: readonly PreparedFile[], sha256: string, sourceRoot: SourceRoot): Buffer | null {
  for (const { generated, map, pair } of files) {
    if (generated.sha256 === sha256) return readBuilt(pair.file);
    if (map.sha256 === sha256) return mapBytesOf(pair, sourceRoot);
  }
  return null;
}

/** Files as uploads take them: by number, by bytes, and by the bytes of the call that names them. */
function batchesOf(files: readonly PreparedFile[]): PreparedFile[][] {
  const batches: PreparedFile[][] = [];
  let batch: PreparedFile[] = [];
  let bytes = 0;
  let bodyBytes = BODY_BYTES_REST;
  for (const file of files) {
    const size = file.generated.size_bytes + file.map.size_bytes;
    const named = Buffer.byteLength(JSON.stringify({ ...file, pair: undefined })) + 1;
    if (
      batch.length > 0 &&
      (batch.length === MAP_UPLOAD_FILES_MAX ||
        bytes + size > MAP_UPLOAD_BYTES_MAX ||
        bodyBytes + named > MAP_UPLOAD_BODY_BYTES_MAX)
    ) {
      batches.push(batch);
      batch = [];
      bytes = 0;
      bodyBytes = BODY_BYTES_REST;
    }
    batch.push(file);
    bytes += size;
    bodyBytes += named;
  }
  return batch.length === 0 ? batches : [...batches, batch];
}
