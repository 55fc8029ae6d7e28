import { createHash } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import { MAP_PART_BYTES } from '@culprit/contract/releases/map-limits';
import * as uploads from '@culprit/contract/releases/map-uploads';
import type { TestCulprit, TestProject } from './culprit.ts';
import { expectOk } from './expect-ok.ts';

/** A generated file with its map, as a build leaves them. */
export interface BuiltFile {
  path: string;
  code: string | Buffer;
  map: string | Buffer;
  debugId?: string | null;
  /** The map that is announced, where other bytes of its size are sent. */
  announcedMap?: string;
}

/** Uploads files as the command line does and waits for the verdicts. */
export async function uploadMaps(...upload: Parameters<typeof sendMaps>): Promise<uploads.MapUpload> {
  return await (await sendMaps(...upload)).finish();
}

/** Sends files; the upload stays open until `finish` is called, which waits for the verdicts. */
export async function sendMaps(
  culprit: Pick<TestCulprit, 'url'>,
  project: Pick<TestProject, 'memberToken' | 'projectId'>,
  files: readonly BuiltFile[],
  release: string | null = null,
): Promise<{ uploadId: string; finish(): Promise<uploads.MapUpload> }> {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const params = { id: project.projectId };
  const bytes = new Map<string, Buffer>();
  const announced = (content: string | Buffer, sent: string | Buffer = content) => {
    const buffer = Buffer.from(content);
    const sha256 = createHash('sha256').update(buffer).digest('hex');
    bytes.set(sha256, Buffer.from(sent));
    return { sha256, size_bytes: buffer.length };
  };
  const body = {
    release,
    files: files.map(({ path, code, map, debugId = null, announcedMap = map }) => ({
      ...{ path, debug_id: debugId, generated: announced(code), map: announced(announcedMap, map) },
    })),
  };
  const begun = expectOk(await api.call(uploads.beginMapUpload, { params, body }));
  const uploadId = begun.upload.upload_id;
  for (const sha256 of begun.missing) {
    const content = bytes.get(sha256) ?? Buffer.alloc(0);
    for (let part = 0; part * MAP_PART_BYTES < content.length; part += 1) {
      expectOk(
        await api.call(uploads.putMapPart, {
          params: { ...params, uploadId, sha256, part: String(part) },
          body: new Uint8Array(content.subarray(part * MAP_PART_BYTES, (part + 1) * MAP_PART_BYTES)),
        }),
      );
    }
  }
  return {
    uploadId,
    async finish() {
      expectOk(await api.call(uploads.finishMapUpload, { params: { ...params, uploadId } }));
      for (;;) {
        const answer = expectOk(
          await api.call(uploads.getMapUpload, {
            params: { ...params, uploadId },
            query: { wait_seconds: 20 },
          }),
        );
        if (answer.upload.state === 'done') return answer.upload;
      }
    },
  };
}
