import type { QueryOf } from '@culprit/contract/endpoint';
import type { listImprovements as endpoint, Improvement } from '@culprit/contract/improvements';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { SEVERITIES } from '../events/severity.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { findAccessibleProjectIds } from '../projects/projects.queries.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { detectorsOf } from './detectors.ts';
import { listImprovementRows } from './improvements.queries.ts';
import type { ImprovementsRoom } from './improvements.routes.ts';

/**
 * A page of the improvements a member sees, latest activity first (incidents.md 6.5). Without a project those whose
 * sharing is paused are left out.
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended` for a named project
 */
export async function listImprovements(
  { database, plans }: ImprovementsRoom,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ improvements: Improvement[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const rows = await listImprovementRows(database, {
    projectIds:
      query.project_id === undefined
        ? await findAccessibleProjectIds(database, plans, member.userId)
        : [(await requireProject(database, plans, member.userId, query.project_id)).projectId],
    environment: query.environment ?? null,
    service: query.service ?? null,
    status: query.status ?? null,
    severity: query.severity === undefined ? null : SEVERITIES.indexOf(query.severity),
    detectors: query.kind === undefined ? null : detectorsOf(query.kind),
    after,
    limit: limit + 1,
  });
  const improvements = rows.slice(0, limit);
  const last = improvements.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    improvements,
    next_cursor: isEnd ? null : encodeCursor([last.last_detected_at, last.improvement_id]),
  };
}

function readCursor(text: string): { lastDetectedAtMs: number; improvementId: string } {
  const cursor = decodeTimeCursor(text);
  const improvementId = cursor === null ? null : parseId([], cursor.key);
  if (cursor === null || improvementId === null) throw new Problem('invalid_query');
  return { lastDetectedAtMs: cursor.timeMs, improvementId };
}
