import type { Improvement } from '@culprit/contract/improvements';
import { parseRequestTimestamp } from '@culprit/contract/timestamps';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { DETECTORS } from './detectors.ts';
import { requestImprovementBundles } from './improvement-bundles.queries.ts';
import { type ImprovementChange, changeImprovement as nextState } from './improvement-state.ts';
import { lockImprovementRecord, saveImprovementChange } from './improvements.queries.ts';
import type { ImprovementsRoom } from './improvements.routes.ts';
import { requireImprovement } from './require-improvement.ts';

const SNOOZE_MIN_MS = 60_000;
const SNOOZE_MAX_MS = 90 * 86_400_000;

/**
 * Resolves, reopens or snoozes an improvement (incidents.md 6.3). What is there already stays as it is.
 * @throws Problem `improvement_not_found`, `shared_access_suspended`, `invalid_payload` for a time out of bounds
 */
export async function changeImprovement(
  { database, plans }: ImprovementsRoom,
  member: Member,
  id: string,
  change: ImprovementChange,
): Promise<Improvement> {
  return await database.transaction(async (transaction) => {
    const { improvement_id: improvementId } = await requireImprovement(transaction, plans, member, id);
    const before = await lockImprovementRecord(transaction, improvementId);
    if (before === null) throw new Problem('improvement_not_found');
    if (change.kind === 'snooze') requireSnoozeTime(change.untilMs, before.nowMs);
    const after = nextState(before, change, before.nowMs);
    if (after !== null) await saveImprovementChange(transaction, improvementId, after);
    if (after?.status === 'open' && before.lacksBundle && DETECTORS[before.detector].signalType !== null) {
      await requestImprovementBundles(transaction, before.projectId, [improvementId]);
    }
    return await requireImprovement(transaction, plans, member, id);
  });
}

/**
 * The time of a snooze request, in milliseconds since the epoch.
 * @throws Problem `invalid_payload`
 */
export function readSnoozeTime(text: string): number {
  const untilMs = parseRequestTimestamp(text);
  if (untilMs === null) throw new Problem('invalid_payload');
  return untilMs;
}

function requireSnoozeTime(untilMs: number, nowMs: number): void {
  const aheadMs = untilMs - nowMs;
  if (aheadMs < SNOOZE_MIN_MS || aheadMs > SNOOZE_MAX_MS) throw new Problem('invalid_payload');
}
