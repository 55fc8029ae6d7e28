import type { putMapPart as endpoint } from '@culprit/contract/releases/map-uploads';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { newPartKey } from '../map-keys.ts';
import { partBytes } from './upload-answer.ts';
import { findAnnounced, insertPart } from './upload-files.queries.ts';

/**
 * Stores a part of a file (docs/contract/source-maps.md 3.2).
 * @throws Problem `upload_closed`, `part_not_found`, `invalid_payload`, `upload_not_found`
 */
export async function putPart(
  { database, objects }: Runtime,
  { access: { projectId, recordId: uploadId }, params, body }: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { sha256 } = params;
  const part = Number(params.part);
  const announced = await findAnnounced(database, projectId, uploadId, sha256);
  if (announced === null) throw new Problem('upload_not_found');
  if (announced.state !== 'open') throw new Problem('upload_closed');
  const expected = announced.sizeBytes === null ? null : partBytes(announced.sizeBytes, part);
  if (expected === null) throw new Problem('part_not_found');
  if (body.length !== expected)
    throw invalidPayload('', `must have ${expected} bytes, and has ${body.length}`);
  const objectKey = newPartKey(projectId, uploadId, sha256, part);
  await objects.put(objectKey, Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  const isNoted = await insertPart(database, { projectId, uploadId, sha256, part, objectKey });
  // The upload ended while the part was stored, so that its folder may be gone already.
  if (!isNoted) {
    await objects.delete(objectKey);
    throw new Problem('upload_closed');
  }
}
