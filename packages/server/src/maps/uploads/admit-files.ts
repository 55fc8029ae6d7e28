import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
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
import { setVerdict } from './upload-files.queries.ts';

const SOURCE_MAPS_MAX = 50_000;
/** Source maps that make room for one upload. */
const REMOVED_MAX = 5000;

/**
 * Gives the files of an upload that the project has their names, and makes room for the others.
 * @param room.announcedBytes of other uploads that are not finished
 * @throws Problem `source_map_budget_exceeded`
 */
export async function admitFiles(
  transaction: Transaction,
  upload: { projectId: string; uploadId: string },
  announcement: Pick<Announcement, 'release' | 'files'>,
  { budgetBytes, announcedBytes }: { budgetBytes: number; announcedBytes: number },
): Promise<void> {
  const newBytes = await recognize(transaction, upload, announcement);
  if (newBytes > 0) await makeRoom(transaction, upload.projectId, budgetBytes, announcedBytes + newBytes);
}

/** Gives the files that the project has their names. @returns the bytes of the others */
async function recognize(
  transaction: Transaction,
  { projectId, uploadId }: { projectId: string; uploadId: string },
  { release, files }: Pick<Announcement, 'release' | 'files'>,
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
