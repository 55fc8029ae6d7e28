import { getServiceActivity } from '@culprit/contract/incidents/service-activity';
import { listProjectClients } from '@culprit/contract/setup/clients';
import { createProject, updateProject } from '@culprit/contract/workspace/projects';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateProject);

const PROJECT_FIELDS = [
  flag('--slug SLUG', 'short name, unique among yours'),
  flag('--environment-default NAME', 'environment of events without one'),
];

/** The grouping rules of an existing project. */
export const STACK_RULE_FIELDS = [
  flag(
    '--stack-rule RULE',
    'GLOB own, GLOB foreign or GLOB ignore, for files and modules of stack traces; replaces all rules',
    'stack_rules',
  ),
  flag('--no-stack-rules', 'remove all rules', { field: 'stack_rules', as: 'empty list' }),
];

export const CHANGED_PROJECT_FIELDS = [
  flag('--name NAME', 'name'),
  ...PROJECT_FIELDS,
  flag('--incident-key KEY', 'prefix of incident numbers: 2 to 10 capital letters and digits'),
  flag('--resolves-after-days DAYS', 'resolve incidents after this number of days without events'),
  flag('--heartbeats-from-clients true|false', 'whether check-ins create and change heartbeats'),
  flag(
    '--repositories JSON',
    'repositories for links to lines of code: [{"kind": "github", "url": "https://github.com/acme/shop"}]; replaces all',
  ),
  ...STACK_RULE_FIELDS,
  flag('--learn-slots', 'learn which words in messages vary', 'learns_slots'),
  flag('--no-learn-slots', 'stop learning', { field: 'learns_slots', as: 'false' }),
  flag('--show-source', 'include source lines from source maps in bundles', 'shows_source'),
  flag('--no-show-source', 'do not include them', { field: 'shows_source', as: 'false' }),
];

export const NEW_PROJECT_FIELDS = [
  ...PROJECT_FIELDS,
  flagsOf(createProject)('--weekly-report-timezone ZONE', 'time zone of the weekly report'),
];

export const ACTIVITY_FILTERS = [
  flagsOf(getServiceActivity)('--window SPAN', 'how far back', { standard: '24h' }),
];

export const CLIENT_FILTERS = [flagsOf(listProjectClients)('--days N', 'number of days')];
