import { listImprovements, updateImprovementSettings } from '@culprit/contract/incidents/improvements';
import { flagsOf } from '../../records/field-flags.ts';

const filter = flagsOf(listImprovements);

export const IMPROVEMENT_FILTERS = [
  filter('--status STATUS', 'exactly this status'),
  filter('--severity WORD', 'exactly this severity'),
  filter('--service NAME', 'exactly this service'),
  filter('-e, --environment NAME', 'exactly this environment'),
  filter('--kind KIND', 'exactly this kind'),
  filter('--except-kind KIND', 'every kind but this one'),
];

const setting = flagsOf(updateImprovementSettings);

export const SETTING_FIELDS = [
  setting('--on', 'look for improvements', 'automated_improvement_bundles_enabled'),
  setting('--off', 'do not look for improvements', {
    field: 'automated_improvement_bundles_enabled',
    as: 'false',
  }),
  setting('--sensitivity WORD', 'how sure it has to be', 'improvement_bundle_sensitivity'),
];
