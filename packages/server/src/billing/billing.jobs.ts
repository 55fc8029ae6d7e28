import type { Queryable } from '../platform/db/database.ts';
import { WAKE_CHANNEL } from '../platform/jobs/wake-listener.ts';
import { isMonthlyMeter, type MonthlyMeter } from './meters.ts';

/** The lane of what billing has to do at a time of its own. */
export const BILLING_LANE = 'billing';

/** Job kind of a message to an organization's owner about its plan; keyed by organization and message. */
export const PLAN_MAIL = 'billing.plan-mail';

/** Job kind of a look at how much of its allowances an organization has used. */
export const ALLOWANCE_CHECK = 'billing.allowance-check';

/** Waits after failed attempts. The mail itself is a job of its own, so only the database can fail here. */
export const BILLING_LADDER_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;

/** The messages of account.md 6.5. */
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
  transaction: Queryable,
  organizationId: string,
  mail: PlanMailKind,
  dueAtMs: number,
): Promise<void> {
  await transaction.query(QUEUE, [
    BILLING_LANE,
    PLAN_MAIL,
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
  transaction: Queryable,
  organizationId: string,
  windowStartMs: number,
  meters: readonly MonthlyMeter[],
): Promise<void> {
  if (meters.length === 0) return;
  await transaction.query(QUEUE_CHECK, [
    BILLING_LANE,
    ALLOWANCE_CHECK,
    organizationId,
    JSON.stringify({ organizationId, windowStartMs, meters }),
  ]);
}

const QUEUE_CHECK = {
  name: 'allowance-check-queue',
  text: `
    with queued as (
      insert into jobs (lane, kind, project_id, payload) values ($1, $2, $3::uuid, $4::jsonb) returning lane
    )
    select pg_notify('${WAKE_CHANNEL}', lane) from queued`,
};

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

// The organization stands where other lanes have the project: whose turn it is.
const QUEUE = {
  name: 'plan-mail-queue',
  text: `
    with queued as (
      insert into jobs (lane, kind, project_id, key, payload, run_at)
      values ($1, $2, $3::uuid, $4, $5::jsonb, $6::timestamptz)
      on conflict (kind, key) where key is not null do nothing
      returning lane, run_at
    )
    select pg_notify('${WAKE_CHANNEL}', lane) from queued where run_at <= culprit_now()`,
};

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
