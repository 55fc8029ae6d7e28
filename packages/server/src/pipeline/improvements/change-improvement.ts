import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type { Improvement, snoozeImprovement } from '@culprit/contract/incidents/improvements';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { RecordAccess } from '../../workspace/access/authorize.ts';
import { DETECTORS } from './detectors.ts';
import { getImprovement } from './get-improvement.ts';
import { requestImprovementBundles } from './improvement-bundles.queries.ts';
import { type ImprovementChange, changeImprovement as nextState } from './improvement-state.ts';
import { lockImprovementRecord, saveImprovementChange } from './improvements.queries.ts';

const SNOOZE_MIN_MS = 60_000;
const SNOOZE_MAX_MS = 90 * 86_400_000;

/**
 * Resolves, reopens or snoozes an improvement (docs/contract/incidents.md 6.3). An improvement that is in the wanted
 * state already stays unchanged.
 * @throws Problem `improvement_not_found` when it was removed, `invalid_payload` for a time out of bounds
 */
export async function changeImprovement(
  { database }: Runtime,
  access: RecordAccess,
  change: ImprovementChange,
): Promise<Improvement> {
  const { recordId: improvementId } = access;
  return await database.transaction(async (transaction) => {
    const before = await lockImprovementRecord(transaction, improvementId);
    if (before === null) throw new Problem('improvement_not_found');
    if (change.kind === 'snooze') requireSnoozeTime(change.untilMs, before.nowMs);
    const after = nextState(before, change, before.nowMs);
    if (after !== null) await saveImprovementChange(transaction, improvementId, after);
    if (after?.status === 'open' && before.lacksBundle && DETECTORS[before.detector].signalType !== null) {
      await requestImprovementBundles(transaction, before.projectId, [improvementId]);
    }
    return await getImprovement(transaction, access);
  });
}

/**
 * The time of a snooze request, in milliseconds since the epoch.
 * @throws Problem `invalid_payload`
 */
export function checkSnoozeTime({ body }: { body: BodyOf<typeof snoozeImprovement> }): number {
  const untilMs = parseRequestTimestamp(body.snoozed_until);
  if (untilMs === null) throw invalidPayload('/snoozed_until', 'is not a time');
  return untilMs;
}

function requireSnoozeTime(untilMs: number, nowMs: number): void {
  const aheadMs = untilMs - nowMs;
  if (aheadMs < SNOOZE_MIN_MS || aheadMs > SNOOZE_MAX_MS)
    throw invalidPayload('/snoozed_until', 'is too close or too far away');
}
