import type { BillingSummary } from '@culprit/contract/workspace/billing';

/** The six meters, with what happens at 80 % and when nothing is left (docs/contract/account.md 6). */
export const METERS: readonly {
  name: keyof BillingSummary['allowances'];
  label: string;
  whenLittle: string;
  whenNone: string;
}[] = [
  {
    name: 'monthly_raw_ingested_events',
    label: 'Events',
    whenLittle: 'Above the limit, events are still accepted and count toward the next period.',
    whenNone: 'Events are still accepted. Those above the limit count toward the next period.',
  },
  {
    name: 'monthly_bundle_requests',
    label: 'Evidence',
    whenLittle: 'Above the limit, new incidents get no evidence until the period ends.',
    whenNone: 'New incidents get no evidence until the period ends. Existing evidence stays.',
  },
  {
    name: 'retained_bundle_cap',
    label: 'Stored evidence',
    whenLittle: 'Above the limit, the evidence of the oldest incidents is removed.',
    whenNone: 'New evidence replaces the oldest. Incidents stay.',
  },
  {
    name: 'monthly_remote_activations',
    label: 'Probes activated',
    whenLittle: 'Above the limit, no more probes can be activated until the period ends.',
    whenNone: 'No more probes can be activated until the period ends.',
  },
  {
    name: 'monthly_alert_deliveries',
    label: 'Alert messages',
    whenLittle: 'Above the limit, no alerts are sent until the period ends.',
    whenNone: 'No alerts are sent until the period ends.',
  },
  {
    name: 'monthly_webhook_deliveries',
    label: 'Webhook deliveries',
    whenLittle: 'Above the limit, no webhooks are called until the period ends.',
    whenNone: 'No webhooks are called until the period ends.',
  },
];
