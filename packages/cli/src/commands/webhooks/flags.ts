import { createWebhook } from '@culprit/contract/alerts/webhooks';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createWebhook);

export const WEBHOOK_FIELDS = [
  flag('--target URL', 'address of the receiver', 'url'),
  flag('--event EVENT', 'events to send; default all but verification', 'events'),
  flag('--filter-environment NAME', 'only these environments', 'filters.environment'),
  flag('--filter-service NAME', 'only these services', 'filters.service'),
  flag('--filter-severity-min WORD', 'minimum severity', 'filters.severity_min'),
  flag('--filter-bundle-type TYPE', 'only these bundles', 'filters.bundle_type'),
  flag('--no-verification', 'no verification events', { field: 'filters.verification', as: 'false' }),
  flag('--enable', 'enable it', 'is_enabled'),
  flag('--disable', 'disable it', { field: 'is_enabled', as: 'false' }),
];
