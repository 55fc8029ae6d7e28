import { MAP_PART_BYTES, MAP_UPLOAD_BYTES_MAX } from '@culprit/contract/map-limits';
import type { beginMapUpload as endpoint, MapUploadBegun } from '@culprit/contract/source-maps';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { nameRelease } from '../../releases/naming.queries.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import {
  bytesKey,
  findByBytes,
  findUnneeded,
  findUsage,
  nameSourceMap,
  raiseMapsVersion,
  removeSourceMaps,
} from '../records/source-maps.queries.ts';
import type { Announcement } from './check-upload.ts';
import { answerOf, missingOf } from './upload-answer.ts';
import { countOpenUploads, findOpenUpload, insertUpload, setVerdict } from './uploads.queries.ts';

const OPEN_UPLOADS_MAX = 4;
const SOURCE_MAPS_MAX = 50_000;
/** Source maps that make room for one upload. */
const REMOVED_MAX = 5000;

/**
 * Begins an upload, or goes on with the one that announced the same (docs/contract/source-maps.md 3.1).
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
    const newBytes = await recognize(transaction, { projectId, uploadId }, announcement);
    if (newBytes > 0)
      await makeRoom(transaction, projectId, runtime.maps.budgetBytes, announcedBytes + newBytes);
    return { uploadId, isNew: true };
  });
  const { upload, files } = await answerOf(database, projectId, uploadId);
  const missing = await missingOf(database, projectId, uploadId, files);
  return {
    status: isNew ? 201 : 200,
    body: { upload, missing: missing.map(({ sha256 }) => sha256), part_bytes: MAP_PART_BYTES },
  };
}

/** Gives the files that the project has their names. @returns the bytes of the others */
async function recognize(
  transaction: Transaction,
  { projectId, uploadId }: { projectId: string; uploadId: string },
  { release, files }: Announcement,
): Promise<number> {
  const known = await findByBytes(
    transaction,
    projectId,
    files.map(({ map, generated }) => ({ mapSha256: map.sha256, generatedSha256: generated.sha256 })),
  );
  let newBytes = 0;
  let isRenamed = false;
  for (const [position, { path, debugId, generated, map }] of files.entries()) {
    const kept = known.get(bytesKey(map.sha256, generated.sha256));
    if (kept === undefined) {
      newBytes += generated.sizeBytes + map.sizeBytes;
      continue;
    }
    const { isNew } = await nameSourceMap(transaction, {
      ...{ projectId, sourceMapId: kept.sourceMapId, path, release },
      debugId: debugId ?? kept.debugId,
    });
    isRenamed ||= isNew;
    await setVerdict(
      transaction,
      { projectId, uploadId, position },
      {
        ...{ verdict: 'unchanged', problem: null, words: null, fit: null },
        ...{ sourceMapId: kept.sourceMapId, probe: kept.probe },
      },
    );
  }
  if (isRenamed) await raiseMapsVersion(transaction, projectId);
  return newBytes;
}

/** Removes what was needed longest ago until there is room. @throws Problem `source_map_budget_exceeded` */
async function makeRoom(
  transaction: Transaction,
  projectId: string,
  budgetBytes: number,
  wantedBytes: number,
): Promise<void> {
  const { storedBytes, sourceMaps } = await findUsage(transaction, projectId);
  let bytesBeyond = storedBytes + wantedBytes - budgetBytes;
  let mapsBeyond = sourceMaps - SOURCE_MAPS_MAX;
  if (bytesBeyond <= 0 && mapsBeyond <= 0) return;
  const gone: string[] = [];
  for (const { sourceMapId, storedBytes: size } of await findUnneeded(transaction, projectId, REMOVED_MAX)) {
    if (bytesBeyond <= 0 && mapsBeyond <= 0) break;
    gone.push(sourceMapId);
    bytesBeyond -= size;
    mapsBeyond -= 1;
  }
  if (bytesBeyond > 0 || mapsBeyond > 0) throw new Problem('source_map_budget_exceeded');
  await removeSourceMaps(transaction, projectId, gone, 'budget');
}
