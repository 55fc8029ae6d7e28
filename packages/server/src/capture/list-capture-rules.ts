import type { CaptureAccessMode, CaptureRule } from '@culprit/contract/capture/capture';
import type { listCaptureRules as endpoint } from '@culprit/contract/capture/capture-rules';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { pageOf, readPage, type TimePage } from '../platform/http/binding/time-page.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { listRules } from './capture.queries.ts';
import { accessModeOf } from './get-capture-policy.ts';
import { captureRuleOf, previewOf } from './rule-records.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkRulesPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of a project's rules, newest first (docs/contract/ingestion.md 5.4). */
export async function listCaptureRules(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ access_mode: CaptureAccessMode; capture_rules: CaptureRule[]; next_cursor: string | null }> {
  const access_mode = accessModeOf(access.role);
  const rows = await listRules(database, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows.map(captureRuleOf), page, (rule) => [rule.created_at, rule.id]);
  return {
    access_mode,
    capture_rules: access_mode === 'preview' ? shown.map(previewOf) : shown,
    next_cursor: nextCursor,
  };
}
