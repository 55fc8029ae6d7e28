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
    whenLittle: 'Beyond the limit events are still accepted, and counted into the next period.',
    whenNone: 'Events are still accepted. What is above the limit is counted into the next period.',
  },
  {
    name: 'monthly_bundle_requests',
    label: 'Evidence',
    whenLittle: 'Beyond the limit new incidents get no evidence until the period ends.',
    whenNone: 'New incidents get no evidence until the period ends. Existing evidence stays.',
  },
  {
    name: 'retained_bundle_cap',
    label: 'Stored evidence',
    whenLittle: 'Beyond the limit the evidence of the oldest incidents is removed.',
    whenNone: 'New evidence replaces the oldest. Incidents stay.',
  },
  {
    name: 'monthly_remote_activations',
    label: 'Probes activated',
    whenLittle: 'Beyond the limit no further probe can be activated until the period ends.',
    whenNone: 'No further probe can be activated until the period ends.',
  },
  {
    name: 'monthly_alert_deliveries',
    label: 'Alert messages',
    whenLittle: 'Above the limit no alerts are sent until the period ends.',
    whenNone: 'No alerts are sent until the period ends.',
  },
  {
    name: 'monthly_webhook_deliveries',
    label: 'Webhook deliveries',
    whenLittle: 'Beyond the limit no webhook is called until the period ends.',
    whenNone: 'No webhook is called until the period ends.',
  },
];
