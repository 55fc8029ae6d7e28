import { composeMailBody, type MailBlock } from '../../platform/mail/mail-body.ts';
import type { PlanMailKind } from './billing.jobs.ts';
import type { Plan, PlanSettings } from './plan.ts';
import { type PlanRecord, planInForce } from './plan-in-force.ts';

const DAY_MS = 86_400_000;
/** The plans as people read them. */
export const PLAN_NAMES: Readonly<Record<Plan, string>> = { free: 'Free', solo: 'Solo', team: 'Team' };

/**
 * Returns true if a message is still correct when it is due (docs/contract/account.md 6.5): a reminder of a trial that
 * was converted, or one that a stopped worker held until the next reminder, is not sent.
 */
export function isPlanMailDue(
  mail: PlanMailKind,
  record: PlanRecord,
  plans: PlanSettings,
  nowMs: number,
): boolean {
  const { trial } = record;
  if (trial === null || plans.source === 'config') return false;
  const { isTrialing, billingState } = planInForce(record, plans, nowMs);
  switch (mail) {
    case 'trial_started':
      return isTrialing && nowMs < trial.endsAtMs - 7 * DAY_MS;
    case 'trial_one_day_left':
      return isTrialing;
    case 'trial_seven_days_left':
      return isTrialing && nowMs < trial.endsAtMs - DAY_MS;
    case 'trial_expired':
      return billingState === 'trial_expired';
    case 'trial_converted':
      return trial.convertedAtMs !== null;
  }
}

/** The message to the owner, both forms. `appUrl` is where the dashboard is. */
export function planMail(
  mail: PlanMailKind,
  facts: { plan: Plan; trial: { plan: Plan; endsAtMs: number }; nowMs: number; appUrl: string },
): { subject: string; text: string; html: string } {
  const host = new URL(facts.appUrl).host;
  const { title, lines } = WORDS[mail]({
    plan: PLAN_NAMES[facts.plan],
    trialPlan: PLAN_NAMES[facts.trial.plan],
    daysLeft: daysText(Math.ceil((facts.trial.endsAtMs - facts.nowMs) / DAY_MS)),
    endsAt: timeText(facts.trial.endsAtMs),
  });
  const blocks: MailBlock[] = [
    ...lines.map((text) => ({ kind: 'text' as const, text })),
    { kind: 'button', label: 'Open plan and usage', url: `${facts.appUrl}/organization` },
  ];
  return { subject: `${title} (${host})`, ...composeMailBody(title, blocks) };
}

interface Inserts {
  plan: string;
  trialPlan: string;
  daysLeft: string;
  endsAt: string;
}

const AFTER_TRIAL =
  'Without a paid plan, your organization then moves to Free: its events are still accepted, within the allowances of Free.';

const WORDS: Readonly<Record<PlanMailKind, (inserts: Inserts) => { title: string; lines: string[] }>> = {
  trial_started: ({ trialPlan, endsAt }) => ({
    title: `Your ${trialPlan} trial has started`,
    lines: [
      `Your organization has everything of the ${trialPlan} plan until ${endsAt}. No card is needed.`,
      AFTER_TRIAL,
    ],
  }),
  trial_seven_days_left: endingSoon,
  trial_one_day_left: endingSoon,
  trial_expired: ({ trialPlan, endsAt }) => ({
    title: `Your ${trialPlan} trial has ended`,
    lines: [
      `The trial ended at ${endsAt}, and your organization is on Free now. Nothing you set up was removed.`,
      'Access of other people to your projects is paused, and availability checks beyond the plan wait.',
      'Events, incidents and evidence are kept for the shorter retention of Free from the next clean-up.',
    ],
  }),
  trial_converted: ({ plan }) => ({
    title: `Your organization is on ${plan} now`,
    lines: [`Your trial became the ${plan} plan. The usage of this period still counts.`],
  }),
};

function endingSoon({ trialPlan, daysLeft, endsAt }: Inserts): { title: string; lines: string[] } {
  return {
    title: `Your ${trialPlan} trial ends in ${daysLeft}`,
    lines: [`The trial ends at ${endsAt}.`, AFTER_TRIAL],
  };
}

function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** Such as `2026-02-01 03:04 UTC`. */
export function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
