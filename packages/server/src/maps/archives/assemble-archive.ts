import { MAP_UPLOAD_BYTES_MAX } from '@culprit/contract/releases/map-limits';
import type { Database } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { nameRelease } from '../../releases/naming.queries.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { queueUpload } from '../uploads/uploads.queries.ts';
import { countArchives, findArchive, insertArchive } from './archives.queries.ts';
import { holdChunks } from './chunks.queries.ts';

/** An archive as a build tool announces it. */
export interface AnnouncedArchive {
  /** SHA-1 of the whole. */
  checksum: string;
  chunks: readonly string[];
  release: string | null;
}

interface AssemblyAnswer {
  state: 'not_found' | 'created' | 'assembling' | 'ok' | 'error';
  missingChunks: string[];
  detail?: string;
}

/** Archives of a project that are being read. */
const ARCHIVES_MAX = 20;
/** Sentences of an answer. */
const FAULTS_MAX = 3;

/**
 * Puts the chunks of an archive together for projects, or says what has become of it (docs/contract/source-maps.md 9).
 * @param onBegun is called for each upload that begins
 * @throws Problem `resource_limit_reached`, `project_not_found`
 */
export async function assembleArchive(
  database: Database,
  { userId, projectIds }: { userId: string; projectIds: readonly string[] },
  archive: AnnouncedArchive,
  onBegun: (projectId: string, uploadId: string) => Promise<void>,
): Promise<AssemblyAnswer> {
  const found = await Promise.all(
    projectIds.map(async (projectId) => ({
      projectId,
      known: await findArchive(database, projectId, archive),
    })),
  );
  const fresh = found.flatMap(({ projectId, known }) => (known === null ? [projectId] : []));
  if (fresh.length > 0) {
    const begun = await begin(database, { userId, projectIds: fresh }, archive);
    if (begun.missing.length > 0) return { state: 'not_found', missingChunks: begun.missing };
    for (const { projectId, uploadId } of begun.uploads) await onBegun(projectId, uploadId);
    return { state: 'created', missingChunks: [] };
  }
  const known = found.flatMap(({ known }) => known ?? []);
  if (known.some(({ state }) => state === 'processing')) return { state: 'assembling', missingChunks: [] };
  const faults = known.flatMap(({ faults }) => faults);
  if (faults.length === 0) return { state: 'ok', missingChunks: [] };
  const more = faults.length > FAULTS_MAX ? ' There are more; the page Source maps lists them.' : '';
  return { state: 'error', missingChunks: [], detail: `${faults.slice(0, FAULTS_MAX).join(' ')}${more}` };
}

async function begin(
  database: Database,
  { userId, projectIds }: { userId: string; projectIds: readonly string[] },
  { checksum, chunks, release }: AnnouncedArchive,
): Promise<{ missing: string[]; uploads: { projectId: string; uploadId: string }[] }> {
  return await database.transaction(async (transaction) => {
    for (const projectId of projectIds) {
      if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    }
    const held = await holdChunks(transaction, userId, chunks);
    const missing = [...new Set(chunks)].filter((sha1) => !held.has(sha1));
    if (missing.length > 0) return { missing, uploads: [] };
    const sizeBytes = chunks.reduce((sum, sha1) => sum + (held.get(sha1) ?? 0), 0);
    if (sizeBytes > MAP_UPLOAD_BYTES_MAX) throw new Problem('resource_limit_reached');
    const uploads = projectIds.map((projectId) => ({ projectId, uploadId: newUuid() }));
    for (const { projectId, uploadId } of uploads) {
      if ((await countArchives(transaction, projectId)) >= ARCHIVES_MAX)
        throw new Problem('resource_limit_reached');
      if (release !== null) await nameRelease(transaction, projectId, release, 'upload');
      await insertArchive(transaction, { projectId, uploadId, userId, release, checksum, chunks, sizeBytes });
      await queueUpload(transaction, projectId, uploadId);
    }
    return { missing: [], uploads };
  });
}
