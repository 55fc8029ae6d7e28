import type { CaptureAccessMode, CaptureRule } from '@culprit/contract/capture';
import type { listCaptureRules as endpoint } from '@culprit/contract/capture-rules';
import type { QueryOf } from '@culprit/contract/endpoint';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listRules } from './capture.queries.ts';
import type { CaptureRoom } from './capture.routes.ts';
import { accessModeOf } from './read-capture-policy.ts';
import { captureRuleOf, previewOf } from './rule-records.ts';

/**
 * A page of a project's rules, newest first (ingestion.md 5.4).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listCaptureRules(
  { database, plans }: CaptureRoom,
  member: Member,
  id: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ access_mode: CaptureAccessMode; capture_rules: CaptureRule[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const { projectId, role } = await requireProject(database, plans, member.userId, id);
  const access_mode = accessModeOf(role);
  const rows = await listRules(database, projectId, { after, limit: limit + 1 });
  const page = rows.slice(0, limit).map(captureRuleOf);
  const last = page.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    access_mode,
    capture_rules: access_mode === 'preview' ? page.map(previewOf) : page,
    next_cursor: isEnd ? null : encodeCursor([last.created_at, last.id]),
  };
}

function readCursor(text: string): { createdAtMs: number; ruleId: string } {
  const cursor = decodeTimeCursor(text);
  const ruleId = cursor === null ? null : parseId([], cursor.key);
  if (cursor === null || ruleId === null) throw new Problem('invalid_query');
  return { createdAtMs: cursor.timeMs, ruleId };
}
