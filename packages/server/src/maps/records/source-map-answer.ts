import type { SourceMapRecord } from '@culprit/contract/releases/source-maps';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { SourceMapRow } from './source-maps.queries.ts';

export function recordOf(row: SourceMapRow): SourceMapRecord {
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
