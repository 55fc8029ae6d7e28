import type { FieldFlag } from '../../records/fields.ts';

export const ALERT_FIELDS: readonly FieldFlag[] = [
  {
    name: 'channel',
    value: 'CHANNEL',
    choices: ['email', 'slack', 'discord', 'webhook'],
    field: 'channel',
    says: 'how it is sent',
  },
  {
    name: 'condition-type',
    value: 'TYPE',
    choices: [
      'new_incident',
      'incident_regressed',
      'error_spike',
      'severity_threshold',
      'regression_after_deploy',
    ],
    field: 'condition_type',
    says: 'when it is sent',
  },
  { name: 'name', value: 'TEXT', field: 'name', says: 'what messages and lists call it' },
  {
    name: 'environment',
    value: 'NAME',
    isRepeatable: true,
    field: 'environments',
    as: 'list',
    says: 'only of this environment; prod* is each that begins so, !test each but that one',
  },
  {
    name: 'service',
    value: 'NAME',
    isRepeatable: true,
    field: 'services',
    as: 'list',
    says: 'only of this service, as environments; the id of a service is that of one environment',
  },
  { name: 'to', value: 'ADDRESS', field: 'config.to', says: 'address of an email alert' },
  { name: 'webhook-url', value: 'URL', field: 'config.webhook_url', says: 'of a slack or discord alert' },
  { name: 'target-url', value: 'URL', field: 'config.target_url', says: 'of a webhook alert' },
  {
    name: 'slack-destination-id',
    value: 'ID',
    field: 'config.slack_destination_id',
    says: 'of a slack alert',
  },
  {
    name: 'severity-min',
    value: 'WORD',
    choices: ['low', 'medium', 'high', 'critical'],
    field: 'severity_min',
    says: 'least severity',
  },
  {
    name: 'severity-lifecycle-scope',
    value: 'SCOPE',
    choices: ['new_incident', 'incident_regressed', 'both'],
    field: 'severity_lifecycle_scope',
    says: 'of severity_threshold',
  },
  {
    name: 'cooldown',
    value: 'DURATION',
    kind: 'duration',
    field: 'cooldown_seconds',
    as: 'seconds',
    says: 'pause between two of one incident',
  },
  { name: 'enable', field: 'is_enabled', as: 'true', says: 'enable it' },
  { name: 'disable', field: 'is_enabled', as: 'false', says: 'disable it' },
];

export const PREVIEW_FIELDS: readonly FieldFlag[] = [
  {
    name: 'days',
    value: 'N',
    kind: 'integer',
    min: 1,
    max: 30,
    field: 'days',
    as: 'number',
    standard: '7',
    says: 'how far back',
  },
];
