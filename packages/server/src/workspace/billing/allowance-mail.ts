import { composeMailBody } from '../../platform/mail/mail-body.ts';
import type { MonthlyMeter } from './meters.ts';
import type { Plan } from './plan.ts';
import { PLAN_NAMES, timeText } from './plan-mail.ts';

/** The unit that a meter counts, and the effect when its allowance is used up (docs/contract/account.md 6.4). */
const WORDS: Readonly<Record<MonthlyMeter, { counted: string; consequence: string; remedy: string }>> = {
  monthly_raw_ingested_events: {
    counted: 'events',
    consequence:
      'Events beyond the allowance are still accepted and processed, and count toward the next period.',
    remedy: 'To send fewer events, add event filters or a sample rate.',
  },
  monthly_bundle_requests: {
    counted: 'evidence builds',
    consequence: 'Above the allowance, incidents are still recorded but get no evidence.',
    remedy: 'To get fewer incidents from noise, add event filters.',
  },
  monthly_remote_activations: {
    counted: 'remote probe activations',
    consequence: 'Above the allowance, no more remote probes can be activated.',
    remedy: 'Active probes run until they expire.',
  },
  monthly_alert_deliveries: {
    counted: 'alert messages',
    consequence: 'Above the allowance, alert rules send no messages, and none are sent later.',
    remedy:
      'To send fewer messages, raise the minimum severity, limit the rule to a service, or add a cooldown.',
  },
  monthly_webhook_deliveries: {
    counted: 'webhook deliveries',
    consequence: 'Above the allowance, webhooks get no new deliveries and no tests, and none are sent later.',
    remedy: 'To send fewer deliveries, choose fewer events or add filters to the webhook.',
  },
};

/**
 * The notice to the owner that an allowance is used to 80 or 100 percent, both forms (docs/contract/notifications.md
 * 6).
 */
export function allowanceMail(facts: {
  meter: MonthlyMeter;
  percent: 80 | 100;
  used: number;
  limit: number;
  plan: Plan;
  /** The end of the period, in milliseconds since the epoch. */
  endsAtMs: number;
  appUrl: string;
}): { subject: string; text: string; html: string } {
  const { counted, consequence, remedy } = WORDS[facts.meter];
  const { host } = new URL(facts.appUrl);
  const endsAt = timeText(facts.endsAtMs);
  const title =
    facts.percent === 100 ? `Your ${counted} are used up` : `80 percent of your ${counted} are used`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: `Your organization has used ${facts.used} of the ${facts.limit} ${counted} that its ${PLAN_NAMES[facts.plan]} plan includes until ${endsAt}.`,
    },
    {
      kind: 'text',
      text: facts.percent === 100 ? consequence : `Nothing changes until all are used. ${consequence}`,
    },
    {
      kind: 'text',
      text: `A new period begins at ${endsAt}. Until then a larger plan or more capacity units raise the allowance immediately. ${remedy}`,
    },
    { kind: 'button', label: 'Open plan and usage', url: `${facts.appUrl}/organization` },
  ]);
  return { subject: `${title} (${host})`, ...body };
}
