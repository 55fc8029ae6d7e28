import type { Improvement } from '@culprit/contract/improvements';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findImprovementRecord } from './improvements.queries.ts';

/** The UUID of an improvement, by its own id or that of its bundle, which is all that a webhook tells. */
export function parseImprovementId(id: string): string | null {
  return parseId(['bun'], id);
}

/**
 * The record of an improvement the member may see; every role of its project may (incidents.md 7.4).
 * @throws Problem `improvement_not_found`, also for a candidate, `shared_access_suspended`
 */
export async function requireImprovement(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
): Promise<Improvement> {
  const improvementId = parseImprovementId(id);
  const found =
    improvementId === null
      ? null
      : await findImprovementRecord(database, plans, member.userId, improvementId);
  if (found === null) throw new Problem('improvement_not_found');
  if (found.isSuspended) throw new Problem('shared_access_suspended');
  return found.record;
}
