import { MAP_PART_BYTES, MAP_VERDICTS, type MapVerdict } from '@culprit/contract/releases/map-limits';
import type { MapUpload, MapUploadFile, MapUploadSummary } from '@culprit/contract/releases/map-uploads';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { findParts, findUploadFiles, type UploadFileRow } from './upload-files.queries.ts';
import { findUpload, type UploadRow } from './uploads.queries.ts';

/** An upload with its files. @throws Problem `upload_not_found` */
export async function answerOf(
  database: Queryable,
  projectId: string,
  uploadId: string,
): Promise<{ upload: MapUpload; files: UploadFileRow[]; state: UploadRow['state'] }> {
  const row = await findUpload(database, projectId, uploadId);
  if (row === null) throw new Problem('upload_not_found');
  const files = await findUploadFiles(database, projectId, uploadId);
  return { upload: { ...summaryOf(row), files: files.map(fileOf) }, files, state: row.state };
}

export function summaryOf(row: UploadRow): MapUploadSummary {
  const counts = Object.fromEntries(MAP_VERDICTS.map((verdict) => [verdict, row.counts[verdict] ?? 0]));
  return {
    upload_id: row.uploadId,
    release: row.release,
    state: row.state,
    created_at: formatTimestamp(row.createdAtMs),
    finished_at: row.finishedAtMs === null ? null : formatTimestamp(row.finishedAtMs),
    created_by: row.userId === null ? null : { user_id: row.userId, email: row.email },
    via: row.via,
    problem: row.problem,
    counts: counts as Record<MapVerdict, number>,
  };
}

function fileOf(row: UploadFileRow): MapUploadFile {
  const { path, verdict, problem, words, probe, fit } = row;
  return { path, debug_id: row.debugId, verdict, problem, words, source_map_id: row.sourceMapId, probe, fit };
}

/** Returns the parts that are still missing: those of each file without a verdict, each hash once. */
export async function missingOf(
  database: Queryable,
  projectId: string,
  uploadId: string,
  files: readonly UploadFileRow[],
): Promise<{ sha256: string; parts: number[] }[]> {
  const there = await findParts(database, projectId, uploadId);
  const wanted = new Map<string, number>();
  for (const { verdict, generated, map } of files) {
    if (verdict !== null) continue;
    wanted.set(generated.sha256, generated.sizeBytes);
    wanted.set(map.sha256, map.sizeBytes);
  }
  return [...wanted].flatMap(([sha256, sizeBytes]) => {
    const parts = Array.from({ length: partCount(sizeBytes) }, (_, part) => part);
    const missing = parts.filter((part) => there.get(sha256)?.has(part) !== true);
    return missing.length === 0 ? [] : [{ sha256, parts: missing }];
  });
}

export function partCount(sizeBytes: number): number {
  return Math.ceil(sizeBytes / MAP_PART_BYTES);
}

/** The length that a part must have; null behind the end. */
export function partBytes(sizeBytes: number, part: number): number | null {
  if (part >= partCount(sizeBytes)) return null;
  return Math.min(MAP_PART_BYTES, sizeBytes - part * MAP_PART_BYTES);
}
