import type { FieldFlag } from '../../records/fields.ts';

export const POLICY_FIELDS: readonly FieldFlag[] = [
  {
    name: 'preset',
    value: 'NAME',
    choices: ['minimal', 'balanced', 'investigative'],
    field: 'preset',
    says: 'where everything else begins',
  },
  {
    name: 'capture-logs',
    value: 'WORD',
    choices: ['off', 'error', 'warning', 'info'],
    field: 'capture_logs',
    says: 'logs from this level',
  },
  {
    name: 'capture-messages',
    value: 'WORD',
    choices: ['error', 'warning', 'info'],
    field: 'capture_messages',
    says: 'reported messages that open an incident, from this level',
  },
  {
    name: 'capture-request-events',
    value: 'WORD',
    choices: ['off', 'failures_only', 'filtered', 'all'],
    field: 'capture_request_events',
    says: 'which requests',
  },
  {
    name: 'capture-breadcrumbs',
    value: 'WORD',
    choices: ['local_only', 'exception_only', 'standalone'],
    field: 'capture_breadcrumbs',
    says: 'when browser steps are sent',
  },
  {
    name: 'capture-probe-events',
    value: 'WORD',
    choices: ['buffer_only', 'standalone_when_activated'],
    field: 'capture_probe_events',
    says: 'when probes are sent',
  },
];

export const RULE_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'name of the rule' },
  { name: 'description', value: 'TEXT', field: 'description', says: 'what it is for' },
  {
    name: 'action',
    value: 'ACTION',
    choices: ['demote', 'sample', 'drop'],
    field: 'action',
    says: 'what happens to events that match',
  },
  {
    name: 'match-service',
    value: 'NAME',
    isRepeatable: true,
    field: 'matcher.services',
    as: 'list',
    says: 'only these services',
  },
  { name: 'match-error', value: 'NAME', field: 'matcher.error_name', says: 'exactly this error name' },
  {
    name: 'match-message-contains',
    value: 'TEXT',
    field: 'matcher.message_contains',
    says: 'messages with this text',
  },
  {
    name: 'sample-rate',
    value: 'SHARE',
    kind: 'number',
    min: 0,
    max: 1,
    field: 'sample_rate',
    as: 'number',
    says: 'share that is kept by sample',
  },
  {
    name: 'expires',
    value: 'DURATION',
    kind: 'time',
    field: 'expires_at',
    as: 'time ahead',
    says: 'when it ends',
  },
];

export const APPLY_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'name of the rule' },
  { name: 'disabled', field: 'enabled', as: 'false', says: 'create it disabled' },
  {
    name: 'expires',
    value: 'DURATION',
    kind: 'time',
    field: 'expires_at',
    as: 'time ahead',
    standard: '30d for drop and sample',
    says: 'when it ends',
  },
];
