import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { isMonthlyMeter, type MonthlyMeter } from './meters.ts';

/** The lane for work of billing that has its own schedule. */
export const BILLING_LANE = 'billing';

/** Job kind of a message to an organization's owner about its plan; keyed by organization and message. */
export const PLAN_MAIL = 'billing.plan-mail';

/** Job kind of a look at how much of its allowances an organization has used. */
export const ALLOWANCE_CHECK = 'billing.allowance-check';

/** The messages of docs/contract/account.md 6.5. */
export type PlanMailKind =
  | 'trial_started'
  | 'trial_seven_days_left'
  | 'trial_one_day_left'
  | 'trial_expired'
  | 'trial_converted';

const KINDS: readonly PlanMailKind[] = [
  'trial_started',
  'trial_seven_days_left',
  'trial_one_day_left',
  'trial_expired',
  'trial_converted',
];

/** Queues a message inside the caller's transaction; whether it still applies is decided when it is due. */
export async function queuePlanMail(
  transaction: Transaction,
  organizationId: string,
  mail: PlanMailKind,
  dueAtMs: number,
): Promise<void> {
  await transaction.query(QUEUE, [
    organizationId,
    `${organizationId}:${mail}`,
    JSON.stringify({ organizationId, mail }),
    new Date(dueAtMs),
  ]);
}

/**
 * Queues a look at what is used of some meters inside the caller's transaction, which counted it. Without a key: one
 * that runs already may have looked too early.
 */
export async function queueAllowanceCheck(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meters: readonly MonthlyMeter[],
): Promise<void> {
  if (meters.length === 0) return;
  await transaction.query(QUEUE_CHECK, [
    organizationId,
    JSON.stringify({ organizationId, windowStartMs, meters }),
  ]);
}

const QUEUE_CHECK = sql('allowance-check-queue')`with queued as (${enqueue({
  job: { lane: BILLING_LANE, kind: ALLOWANCE_CHECK },
  fairnessKey: '$1::uuid',
  payload: '$2::jsonb',
})})
    ${WAKE_QUEUED}`;

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readAllowanceCheckPayload(payload: Record<string, unknown>): {
  organizationId: string;
  windowStartMs: number;
  meters: MonthlyMeter[];
} {
  const { organizationId, windowStartMs, meters } = payload;
  const isSound =
    typeof organizationId === 'string' &&
    typeof windowStartMs === 'number' &&
    Array.isArray(meters) &&
    meters.every(isMonthlyMeter);
  if (!isSound) throw new Error('unreadable allowance check job');
  return { organizationId, windowStartMs, meters };
}

const QUEUE = sql('plan-mail-queue')`with queued as (${enqueue({
  job: { lane: BILLING_LANE, kind: PLAN_MAIL },
  fairnessKey: '$1::uuid',
  key: '$2::text',
  payload: '$3::jsonb',
  runAt: '$4::timestamptz',
  whenQueued: 'stays',
})})
    ${WAKE_QUEUED}`;

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readPlanMailPayload(payload: Record<string, unknown>): {
  organizationId: string;
  mail: PlanMailKind;
} {
  const { organizationId, mail } = payload;
  const known = KINDS.find((kind) => kind === mail);
  if (typeof organizationId !== 'string' || known === undefined) throw new Error('unreadable plan mail job');
  return { organizationId, mail: known };
}
