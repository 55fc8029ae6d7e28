import type { CaptureRule } from '@culprit/contract/capture/capture';
import { inEvaluationOrder } from '@culprit/evidence/capture/capture-rule';
import type { Queryable } from '../platform/db/database.ts';
import { findActiveRules } from './capture.queries.ts';
import { captureRuleOf } from './rule-records.ts';

/**
 * The rules of a project that are in force now, in the order of their evaluation (docs/contract/ingestion.md 5.3,
 * 7.1).
 * @param projectId bare UUID
 */
export async function listActiveRules(database: Queryable, projectId: string): Promise<CaptureRule[]> {
  const rows = await findActiveRules(database, projectId);
  const ordered = inEvaluationOrder(
    rows.map((row) => {
      const rule = captureRuleOf(row);
      return { rule, ruleId: row.rule_id, matcher: rule.matcher, updatedAtMs: row.updated_at };
    }),
  );
  return ordered.map(({ rule }) => rule);
}
