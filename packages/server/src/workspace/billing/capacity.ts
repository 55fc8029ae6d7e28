import type { ProblemCode } from '@culprit/contract/endpoints/problems';
import type { ReasonedCode } from '../../platform/http/binding/problem.ts';
import type { PlanSettings } from './plan.ts';
import type { PlanInForce, PlanRecord } from './plan-in-force.ts';

/** A change of capacity units that an owner asks for (docs/contract/account.md 6.6). */
export type CapacityChange =
  | { kind: 'increase'; additionalUnits: number }
  | { kind: 'reduction'; additionalUnits: number }
  | { kind: 'cancel' };

/** Why a change is refused, by the order of docs/contract/account.md 6.6; null when it may happen. */
export function capacityProblem(
  change: CapacityChange,
  inForce: PlanInForce,
  plans: PlanSettings,
): Exclude<ProblemCode, ReasonedCode> | null {
  if (plans.source === 'config') return 'plan_managed_by_configuration';
  if (inForce.isTrialing) return 'trial_conversion_required';
  if (change.kind === 'cancel') return inForce.pendingReduction === null ? 'no_pending_reduction' : null;
  if (inForce.plan === 'free') return 'capacity_not_available';
  if (change.kind === 'reduction') {
    return change.additionalUnits < inForce.additionalUnits ? null : 'invalid_target_quantity';
  }
  if (inForce.pendingReduction !== null) return 'pending_reduction_exists';
  return change.additionalUnits > inForce.additionalUnits ? null : 'invalid_target_quantity';
}

/**
 * Returns the record after a permitted change: an increase applies immediately, a reduction when the usage window ends.
 */
export function withCapacityChange(
  record: PlanRecord,
  change: CapacityChange,
  inForce: PlanInForce,
): PlanRecord {
  const now = { ...record, additionalUnits: inForce.additionalUnits, pendingReduction: null };
  switch (change.kind) {
    case 'increase':
      return { ...now, additionalUnits: change.additionalUnits };
    case 'reduction':
      return {
        ...now,
        pendingReduction: {
          additionalUnits: change.additionalUnits,
          effectiveAtMs: inForce.usageWindow.endMs,
        },
      };
    case 'cancel':
      return now;
  }
}
