import type { CaptureAccessMode, CaptureRule } from '@culprit/contract/capture';
import type { listCaptureRules as endpoint } from '@culprit/contract/capture-rules';
import type { QueryOf } from '@culprit/contract/endpoint';
import { pageOf, readPage } from '../platform/http/time-page.ts';
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
  const page = readPage([], query);
  const { projectId, role } = await requireProject(database, plans, member.userId, id);
  const access_mode = accessModeOf(role);
  const rows = await listRules(database, projectId, page);
  const { shown, nextCursor } = pageOf(rows.map(captureRuleOf), page, (rule) => [rule.created_at, rule.id]);
  return {
    access_mode,
    capture_rules: access_mode === 'preview' ? shown.map(previewOf) : shown,
    next_cursor: nextCursor,
  };
}
