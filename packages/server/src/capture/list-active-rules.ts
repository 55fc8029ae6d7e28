import type { CaptureRule } from '@culprit/contract/capture';
import type { Queryable } from '../platform/db/database.ts';
import { findActiveRules } from './capture.queries.ts';
import { inEvaluationOrder } from './capture-rule.ts';
import { captureRuleOf } from './rule-records.ts';

/**
 * The rules of a project that are in force now, in the order of their evaluation (ingestion.md 5.3, 7.1).
 * @param projectId bare UUID
 */
export async function listActiveRules(database: Queryable, projectId: string): Promise<CaptureRule[]> {
  const rows = await findActiveRules(database, projectId);
  const ordered = inEvaluationOrder(
    rows.map((row) => ({ row, ruleId: row.rule_id, matcher: row.matcher, updatedAtMs: row.updated_at })),
  );
  return ordered.map(({ row }) => captureRuleOf(row));
}
