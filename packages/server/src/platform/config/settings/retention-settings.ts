import { oneOf, wholeNumber } from '../setting-kinds.ts';
import { setting } from './setting.ts';

/** Settings of retention and plans. */
export const RETENTION_SETTINGS = {
  retentionRawDays: setting({
    name: 'CULPRIT_RETENTION_RAW_DAYS',
    kind: wholeNumber(1, 3_650),
    default: 30,
    doc: 'Retention of raw events in days while plan limits are off.',
  }),
  retentionIncidentDays: setting({
    name: 'CULPRIT_RETENTION_INCIDENT_DAYS',
    kind: wholeNumber(1, 3_650),
    default: 90,
    doc: 'Retention of incidents and bundles in days after their last event while plan limits are off.',
  }),
  planSource: setting({
    name: 'CULPRIT_PLAN_SOURCE',
    kind: oneOf('account', 'config'),
    default: 'config',
    doc: '`config`: every organization has the default plan. `account`: each organization has its own.',
  }),
  planDefault: setting({
    name: 'CULPRIT_PLAN_DEFAULT',
    kind: oneOf('free', 'solo', 'team'),
    default: 'team',
    doc: 'Plan of new organizations; with the plan source `config`, the plan of all organizations.',
  }),
  planLimits: setting({
    name: 'CULPRIT_PLAN_LIMITS',
    kind: oneOf('enforce', 'off'),
    default: 'off',
    doc: '`off`: every feature is available, and meters count but refuse nothing. `enforce`: allowances and rate limits of the plans apply.',
  }),
  ingestRateFreePerMin: setting({
    name: 'CULPRIT_INGEST_RATE_FREE_PER_MIN',
    kind: wholeNumber(1, 1_000_000_000),
    default: 60,
    doc: 'Requests, and events, that one project token of a Free organization may send in a minute while plan limits are enforced.',
  }),
  ingestRateSoloPerMin: setting({
    name: 'CULPRIT_INGEST_RATE_SOLO_PER_MIN',
    kind: wholeNumber(1, 1_000_000_000),
    default: 300,
    doc: 'The same limit for Solo.',
  }),
  ingestRateTeamPerMin: setting({
    name: 'CULPRIT_INGEST_RATE_TEAM_PER_MIN',
    kind: wholeNumber(1, 1_000_000_000),
    default: 1_000,
    doc: 'The same limit for Team.',
  }),
  billingProvider: setting({
    name: 'CULPRIT_BILLING_PROVIDER',
    kind: oneOf('none', 'stripe'),
    default: 'none',
    doc: 'Payment provider. `stripe` is not available yet.',
  }),
};
