import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { debugIdOf } from '@culprit/contract/releases/debug-id';
import type {
  deleteSourceMap as deleteEndpoint,
  getSourceMap as getEndpoint,
  listSourceMaps as listEndpoint,
  SourceMapRecord,
} from '@culprit/contract/releases/source-maps';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { DamagedFormError, openForm } from '@culprit/source-maps/form-reader';
import { Problem } from '../../platform/http/binding/problem.ts';
import { pageOf, pageParameters, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import { ObjectMissingError, type ObjectStore } from '../../platform/objects/object-store.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import {
  findSourceMap,
  findUsage,
  listSourceMapRows,
  removeSourceMaps,
  type SourceMapRow,
} from './source-maps.queries.ts';

const SHOWN_SOURCES_MAX = 200;

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkPage({
  query,
}: {
  query: Pick<QueryOf<typeof listEndpoint>, 'limit' | 'cursor'>;
}): TimePage {
  return readPage([], query);
}

/** A page of the source maps of a project (docs/contract/source-maps.md 3.5). */
export async function listSourceMaps(
  { database, maps }: Runtime,
  { access: { projectId }, query, checked: page }: ApiRequest<typeof listEndpoint, TimePage>,
): Promise<{
  source_maps: SourceMapRecord[];
  usage: { stored_bytes: number; budget_bytes: number; source_maps: number };
  next_cursor: string | null;
}> {
  const filter = {
    release: query.release?.trim() ?? null,
    debugId: debugIdOf(query.debug_id ?? ''),
    path: query.path ?? null,
  };
  const [rows, usage] = await Promise.all([
    listSourceMapRows(database, projectId, filter, pageParameters(page)),
    findUsage(database, projectId),
  ]);
  const { shown, nextCursor } = pageOf(rows.map(recordOf), page, (row) => [
    row.created_at,
    row.source_map_id,
  ]);
  return {
    source_maps: shown,
    usage: {
      stored_bytes: usage.storedBytes,
      budget_bytes: maps.budgetBytes,
      source_maps: usage.sourceMaps,
    },
    next_cursor: nextCursor,
  };
}

/** @throws Problem `source_map_not_found` */
export async function getSourceMap(
  { database, objects }: Runtime,
  { access: { projectId, recordId } }: ApiRequest<typeof getEndpoint>,
): Promise<{
  source_map: SourceMapRecord;
  sources: { file: string; is_own: boolean; has_content: boolean }[];
}> {
  const row = await findSourceMap(database, projectId, recordId);
  if (row === null) throw new Problem('source_map_not_found');
  return { source_map: recordOf(row), sources: await sourcesOf(objects, row) };
}

/** The first files that a kept map names; none where its object is gone or damaged. */
async function sourcesOf(objects: ObjectStore, { objectKey, storedBytes }: SourceMapRow) {
  if (objectKey === null) return [];
  try {
    const read = (offset: number, length: number) => objects.getRange(objectKey, offset, length);
    const { head } = await openForm(read, storedBytes);
    const named = head.sources.filter(({ file }) => file !== '');
    return named
      .slice(0, SHOWN_SOURCES_MAX)
      .map(({ file, own, text }) => ({ file, is_own: own, has_content: text !== null }));
  } catch (error) {
    if (error instanceof ObjectMissingError || error instanceof DamagedFormError) return [];
    throw error;
  }
}

/** @throws Problem `source_map_not_found` */
export async function deleteSourceMap(
  { database }: Runtime,
  request: ApiRequest<typeof deleteEndpoint>,
): Promise<SourceMapRecord> {
  const { projectId, organizationId, recordId } = request.access;
  const row = await database.transaction(async (transaction) => {
    await removeSourceMaps(transaction, projectId, [recordId], 'deleted');
    return await findSourceMap(transaction, projectId, recordId);
  });
  if (row === null) throw new Problem('source_map_not_found');
  await recordAudit(database, request, {
    ...{ organizationId, projectId, actorUserId: request.caller.userId },
    action: 'source_map.deleted',
    subject: `source_map:${recordId}`,
    data: { path: row.path },
  });
  return recordOf(row);
}

function recordOf(row: SourceMapRow): SourceMapRecord {
  return {
    source_map_id: row.sourceMapId,
    path: row.path,
    debug_id: row.debugId,
    releases: row.releases,
    state: row.removedAtMs === null ? 'ready' : 'removed',
    removed_reason: row.removedReason,
    removed_at: row.removedAtMs === null ? null : formatTimestamp(row.removedAtMs),
    generated_bytes: row.generatedBytes,
    map_bytes: row.mapBytes,
    stored_bytes: row.storedBytes,
    sources: row.sources,
    segments: row.segments,
    has_contents: row.hasContents,
    registers_id: row.registersId,
    code_sha256: row.codeSha256,
    probe: row.probe,
    created_at: formatTimestamp(row.createdAtMs),
    last_needed_at: formatTimestamp(row.lastNeededAtMs),
    uploaded_by: row.uploadedBy,
  };
}
