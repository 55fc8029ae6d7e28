import type { listMapUploads as endpoint, MapUploadSummary } from '@culprit/contract/releases/map-uploads';
import { pageOf, pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { summaryOf } from './upload-answer.ts';
import { listUploadRows } from './uploads.queries.ts';

/** Days for which uploads are listed and kept. */
export const UPLOAD_DAYS = 30;

/** A page of the uploads of a project, newest first (docs/contract/source-maps.md 3.3). */
export async function listUploads(
  { database }: Runtime,
  { access: { projectId }, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ uploads: MapUploadSummary[]; next_cursor: string | null }> {
  const rows = await listUploadRows(database, projectId, UPLOAD_DAYS, pageParameters(page));
  const { shown, nextCursor } = pageOf(rows.map(summaryOf), page, (row) => [row.created_at, row.upload_id]);
  return { uploads: shown, next_cursor: nextCursor };
}
