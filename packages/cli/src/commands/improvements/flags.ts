import { listImprovements, updateImprovementSettings } from '@culprit/contract/incidents/improvements';
import { flagsOf } from '../../records/field-flags.ts';

const filter = flagsOf(listImprovements);

export const IMPROVEMENT_FILTERS = [
  filter('--status STATUS', 'only this status'),
  filter('--severity WORD', 'only this severity'),
  filter('--service NAME', 'only this service'),
  filter('-e, --environment NAME', 'only this environment'),
  filter('--kind KIND', 'only this kind'),
  filter('--except-kind KIND', 'every kind but this one'),
];

const setting = flagsOf(updateImprovementSettings);

export const SETTING_FIELDS = [
  setting('--on', 'look for improvements', 'automated_improvement_bundles_enabled'),
  setting('--off', 'do not look for improvements', {
    field: 'automated_improvement_bundles_enabled',
    as: 'false',
  }),
  setting('--sensitivity WORD', 'how certain a finding must be', 'improvement_bundle_sensitivity'),
];
