import type { finishMapUpload as endpoint, MapUpload } from '@culprit/contract/releases/map-uploads';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { partsFolder } from '../map-keys.ts';
import { answerOf, missingOf } from './upload-answer.ts';
import { findUploadFiles } from './upload-files.queries.ts';
import { endUpload, lockUpload, queueUpload } from './uploads.queries.ts';

/**
 * Hands an upload over to be read (docs/contract/source-maps.md 3.3).
 * @throws Problem `parts_missing`, `upload_closed`, `upload_not_found`
 */
export async function finishUpload(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<MapUpload> {
  const { projectId, recordId: uploadId, organizationId } = request.access;
  const isNew = await database.transaction(async (transaction) => {
    const state = await lockUpload(transaction, projectId, uploadId);
    if (state === null) throw new Problem('upload_not_found');
    if (state === 'expired') throw new Problem('upload_closed');
    if (state !== 'open') return false;
    const files = await findUploadFiles(transaction, projectId, uploadId);
    const missing = await missingOf(transaction, projectId, uploadId, files);
    if (missing.length > 0) throw new Problem('parts_missing');
    if (files.every(({ verdict }) => verdict !== null)) {
      await endUpload(transaction, projectId, uploadId, partsFolder(projectId, uploadId));
    } else await queueUpload(transaction, projectId, uploadId);
    return true;
  });
  const { upload } = await answerOf(database, projectId, uploadId);
  if (isNew) {
    await recordAudit(database, request, {
      ...{ organizationId, projectId, actorUserId: request.caller.userId },
      action: 'source_maps.uploaded',
      subject: `map_upload:${uploadId}`,
      data: { files: upload.files.length, release: upload.release },
    });
  }
  return upload;
}
