import { createHash, randomUUID } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import * as uploads from '@culprit/contract/releases/map-uploads';
import { expectOk } from '../support/expect-ok.ts';
import { uploadMaps } from '../support/map-client.ts';
import type { OperationRequest } from './operation-request.ts';
import type { Stage } from './request-state.ts';
import { idOf } from './subject-requests.ts';

/** What requests about source maps need: uploads and maps of their own, because each can be used once. */

const MAP = JSON.stringify({ version: 3, sources: ['cart.ts'], names: [], mappings: 'AAAA' });

/** A file that no request has sent before. */
function newFile() {
  return {
    path: 'assets/index.js',
    debugId: randomUUID(),
    code: `cart(${JSON.stringify(randomUUID())})`,
    map: MAP,
  };
}

function announced(text: string) {
  const bytes = Buffer.from(text);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), size_bytes: bytes.length };
}

async function owned({ culprit, tenant }: Stage) {
  // Of open uploads a project has four at most.
  await culprit.database.query(
    {
      name: 'test-forget-uploads',
      text: `update map_uploads set state = 'expired', finished_at = culprit_now()
        where project_id = $1::uuid and state = 'open'`,
    },
    [tenant.project.projectId.replace('proj_', '')],
  );
  return { memberToken: tenant.project.memberToken, projectId: tenant.project.projectId };
}

export async function newMapUpload(stage: Stage): Promise<OperationRequest> {
  await owned(stage);
  const { path, debugId, code, map } = newFile();
  return {
    params: idOf(stage.tenant.project),
    body: { files: [{ path, debug_id: debugId, generated: announced(code), map: announced(map) }] },
  };
}

async function begun(stage: Stage) {
  const project = await owned(stage);
  const api = createClient({ baseUrl: stage.culprit.url, token: project.memberToken });
  const file = newFile();
  const { upload } = expectOk(
    await api.call(uploads.beginMapUpload, {
      params: { id: project.projectId },
      body: {
        files: [
          {
            path: file.path,
            debug_id: file.debugId,
            generated: announced(file.code),
            map: announced(file.map),
          },
        ],
      },
    }),
  );
  const params = { id: project.projectId, uploadId: upload.upload_id };
  const part = (text: string) => ({
    params: { ...params, sha256: announced(text).sha256, part: '0' },
    bytes: new Uint8Array(Buffer.from(text)),
  });
  return { api, params, parts: [part(file.code), part(file.map)] as const };
}

export async function ofMapUpload(stage: Stage): Promise<OperationRequest> {
  return { params: (await begun(stage)).params };
}

export async function ofMapPart(stage: Stage): Promise<OperationRequest> {
  return (await begun(stage)).parts[0];
}

export async function ofWholeMapUpload(stage: Stage): Promise<OperationRequest> {
  const { api, params, parts } = await begun(stage);
  for (const { params: place, bytes } of parts) {
    const answer = await api.call(uploads.putMapPart, { params: place, body: bytes });
    // The map of an earlier request is there already.
    if (!answer.ok) throw new Error(`putMapPart answered ${answer.status} ${answer.error}`);
  }
  return { params };
}

export async function ofSourceMap(stage: Stage): Promise<OperationRequest> {
  const project = await owned(stage);
  const { files } = await uploadMaps(stage.culprit, project, [newFile()]);
  return { params: { id: project.projectId, sourceMapId: files[0]?.source_map_id ?? '' } };
}
