import { MAP_PART_BYTES, MAP_UPLOAD_BYTES_MAX } from '@culprit/contract/releases/map-limits';
import type { beginMapUpload as endpoint, MapUploadBegun } from '@culprit/contract/releases/map-uploads';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { nameRelease } from '../../releases/naming.queries.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { admitFiles } from './admit-files.ts';
import type { Announcement } from './check-upload.ts';
import { answerOf, missingOf } from './upload-answer.ts';
import { insertFiles } from './upload-files.queries.ts';
import { countOpenUploads, findOpenUpload, insertUpload } from './uploads.queries.ts';

const OPEN_UPLOADS_MAX = 4;

/**
 * Begins an upload, or continues the one that announced the same (docs/contract/source-maps.md 3.1).
 * @throws Problem `resource_limit_reached`, `source_map_budget_exceeded`, `project_not_found`
 */
export async function beginUpload(
  runtime: Runtime,
  {
    access: { projectId },
    caller: { userId },
    checked: announcement,
  }: ApiRequest<typeof endpoint, Announcement>,
): Promise<{ status: 200 | 201; body: MapUploadBegun }> {
  const { database } = runtime;
  if (announcement.sizeBytes > MAP_UPLOAD_BYTES_MAX) throw new Problem('resource_limit_reached');
  const { uploadId, isNew } = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    const known = await findOpenUpload(transaction, projectId, userId, announcement.manifestHash);
    if (known !== null) return { uploadId: known, isNew: false };
    const { open, announcedBytes } = await countOpenUploads(transaction, projectId);
    if (open >= OPEN_UPLOADS_MAX) throw new Problem('resource_limit_reached');
    const uploadId = newUuid();
    if (announcement.release !== null)
      await nameRelease(transaction, projectId, announcement.release, 'upload');
    await insertUpload(transaction, { projectId, uploadId, userId, via: 'api' }, announcement);
    await insertFiles(transaction, { projectId, uploadId }, announcement.files);
    await admitFiles(transaction, { projectId, uploadId }, announcement, {
      budgetBytes: runtime.maps.budgetBytes,
      announcedBytes,
    });
    return { uploadId, isNew: true };
  });
  const { upload, files } = await answerOf(database, projectId, uploadId);
  const missing = await missingOf(database, projectId, uploadId, files);
  return {
    status: isNew ? 201 : 200,
    body: { upload, missing: missing.map(({ sha256 }) => sha256), part_bytes: MAP_PART_BYTES },
  };
}
