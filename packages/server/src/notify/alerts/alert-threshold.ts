import { THRESHOLD_HOURS, THRESHOLD_MINUTES_MAX } from '@culprit/contract/alerts/alert-windows';
import type { AlertCondition } from '@culprit/contract/alerts/alerts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';

/** The count that an incident has to reach (docs/contract/notifications.md 1.22). */
export type Threshold = { occurrences: number; windowMinutes: number } | { users: number };

/** The fields of a rule by which its threshold is given and stored. */
interface ThresholdFields {
  threshold_count?: number | null;
  window_minutes?: number | null;
  threshold_users?: number | null;
}

const NAMES = ['threshold_count', 'window_minutes', 'threshold_users'] as const;

/**
 * The threshold that fields of a rule make; null for a condition that has none.
 * @throws Problem `invalid_payload` for one that is missing, given twice or not of this condition
 */
export function thresholdOf(condition: AlertCondition, fields: ThresholdFields): Threshold | null {
  const given = NAMES.filter((name) => typeof fields[name] === 'number');
  if (condition !== 'occurrence_threshold') {
    const [needless] = given;
    if (needless === undefined) return null;
    throw invalidPayload(`/${needless}`, `cannot be combined with the condition ${condition}`);
  }
  const { threshold_count: occurrences, window_minutes: windowMinutes, threshold_users: users } = fields;
  if (typeof users === 'number') {
    if (given.length === 1) return { users };
    throw invalidPayload('/threshold_users', 'cannot be combined with threshold_count or window_minutes');
  }
  if (typeof occurrences !== 'number')
    throw invalidPayload('/threshold_count', 'is missing: give it with window_minutes, or threshold_users');
  if (typeof windowMinutes !== 'number') throw invalidPayload('/window_minutes', 'is missing');
  if (windowMinutes > THRESHOLD_MINUTES_MAX && !THRESHOLD_HOURS.includes(windowMinutes / 60)) {
    const hours = THRESHOLD_HOURS.map((each) => each * 60).join(', ');
    throw invalidPayload('/window_minutes', `must be at most ${THRESHOLD_MINUTES_MAX}, or one of ${hours}`);
  }
  return { occurrences, windowMinutes };
}

/**
 * The threshold after a change: one that names users replaces one that counts events, and the other way round. Another
 * condition clears it.
 * @throws Problem `invalid_payload`
 */
export function changedThreshold(
  before: Threshold | null,
  condition: AlertCondition,
  change: ThresholdFields,
): Threshold | null {
  const kept: ThresholdFields = before === null ? {} : fieldsOf(before);
  const names = NAMES.filter((name) => change[name] !== undefined);
  if (condition !== 'occurrence_threshold') return thresholdOf(condition, change);
  const namesUsers = typeof change.threshold_users === 'number';
  const namesCount = typeof change.threshold_count === 'number';
  if (namesUsers && !namesCount) return thresholdOf(condition, change);
  if (namesCount && change.threshold_users === undefined) delete kept.threshold_users;
  return thresholdOf(condition, {
    ...kept,
    ...Object.fromEntries(names.map((name) => [name, change[name] ?? null])),
  });
}

function fieldsOf(threshold: Threshold): ThresholdFields {
  return 'users' in threshold
    ? { threshold_users: threshold.users }
    : { threshold_count: threshold.occurrences, window_minutes: threshold.windowMinutes };
}

/** The threshold of a stored rule. */
export function storedThreshold(row: Required<ThresholdFields>): Threshold | null {
  const { threshold_count: occurrences, window_minutes: windowMinutes, threshold_users: users } = row;
  if (typeof users === 'number') return { users };
  return typeof occurrences === 'number' && typeof windowMinutes === 'number'
    ? { occurrences, windowMinutes }
    : null;
}

/** Returns the values of the columns `threshold_count`, `window_minutes` and `threshold_users`, in this order. */
export function thresholdParameters(threshold: Threshold | null): (number | null)[] {
  const fields: ThresholdFields = threshold === null ? {} : fieldsOf(threshold);
  return NAMES.map((name) => fields[name] ?? null);
}
