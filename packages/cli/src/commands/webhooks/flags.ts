import { createWebhook } from '@culprit/contract/alerts/webhooks';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createWebhook);

export const WEBHOOK_FIELDS = [
  flag('--target URL', 'where deliveries go', 'url'),
  flag('--event EVENT', 'which events; all but verification when absent', 'events'),
  flag('--filter-environment NAME', 'only these environments', 'filters.environment'),
  flag('--filter-service NAME', 'only these services', 'filters.service'),
  flag('--filter-severity-min WORD', 'least severity', 'filters.severity_min'),
  flag('--filter-bundle-type TYPE', 'only these bundles', 'filters.bundle_type'),
  flag('--no-verification', 'nothing of verification events', { field: 'filters.verification', as: 'false' }),
  flag('--enable', 'enable it', 'is_enabled'),
  flag('--disable', 'disable it', { field: 'is_enabled', as: 'false' }),
];
