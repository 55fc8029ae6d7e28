import type { FieldFlag } from '../../records/fields.ts';

const PROJECT_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'name' },
  { name: 'slug', value: 'SLUG', field: 'slug', says: 'short name, unique among yours' },
  {
    name: 'environment-default',
    value: 'NAME',
    field: 'environment_default',
    says: 'environment of events that name none',
  },
];

/** Fields about the incidents of a project, which only a project that exists has. */
const INCIDENT_FIELDS: readonly FieldFlag[] = [
  {
    name: 'incident-key',
    value: 'KEY',
    field: 'incident_key',
    says: 'what short numbers of incidents begin with: 2 to 10 capital letters and digits',
  },
  {
    name: 'resolves-after-days',
    value: 'DAYS',
    field: 'resolves_after_days',
    as: 'number',
    says: 'resolve incidents without a signal for that many days',
  },
  {
    name: 'repositories',
    value: 'JSON',
    field: 'repositories',
    as: 'json',
    says: 'where the code is, for links to lines: [{"kind": "github", "url": "https://github.com/acme/shop"}]; replaces all',
  },
];

/** The grouping rules of an existing project. */
export const STACK_RULE_FIELDS: readonly FieldFlag[] = [
  {
    name: 'stack-rule',
    value: 'RULE',
    isRepeatable: true,
    field: 'stack_rules',
    as: 'list',
    says: 'GLOB own, GLOB foreign or GLOB ignore, for files and modules of stack traces; replaces all rules',
  },
  { name: 'no-stack-rules', field: 'stack_rules', as: 'empty list', says: 'no rules at all' },
];

const GROUPING_FIELDS: readonly FieldFlag[] = [
  ...STACK_RULE_FIELDS,
  {
    name: 'learn-slots',
    field: 'learns_slots',
    as: 'true',
    says: 'learn which words of messages are values',
  },
  { name: 'no-learn-slots', field: 'learns_slots', as: 'false', says: 'learn no more of them' },
  {
    name: 'show-source',
    field: 'shows_source',
    as: 'true',
    says: 'show source lines of source maps in bundles',
  },
  { name: 'no-show-source', field: 'shows_source', as: 'false', says: 'leave them out' },
];

export const CHANGED_PROJECT_FIELDS: readonly FieldFlag[] = [
  ...PROJECT_FIELDS,
  ...INCIDENT_FIELDS,
  ...GROUPING_FIELDS,
];

export const NEW_PROJECT_FIELDS: readonly FieldFlag[] = [
  ...PROJECT_FIELDS.slice(1),
  {
    name: 'weekly-report-timezone',
    value: 'ZONE',
    field: 'weekly_report_timezone',
    says: 'zone of the weekly report',
  },
];

export const ACTIVITY_FILTERS: readonly FieldFlag[] = [
  {
    name: 'window',
    value: 'SPAN',
    choices: ['24h', '7d'],
    field: 'window',
    standard: '24h',
    says: 'how far back',
  },
];

export const CLIENT_FILTERS: readonly FieldFlag[] = [
  {
    name: 'days',
    value: 'N',
    kind: 'integer',
    min: 1,
    max: 90,
    field: 'days',
    as: 'number',
    says: 'of the last days',
  },
];
