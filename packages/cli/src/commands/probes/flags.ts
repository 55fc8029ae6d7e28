import { activateProbe } from '@culprit/contract/capture/probes';
import { listProbeResults } from '@culprit/contract/events/recent-events';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(activateProbe);

export const PROBE_FIELDS = [
  flag('--service NAME', 'only in this service'),
  flag('-e, --environment NAME', 'only in this environment'),
  flag('--ttl DURATION', 'duration, 1m to 1h', 'ttl_seconds'),
  flag('--trigger-ttl DURATION', 'lifetime of its trigger token', 'trigger_ttl_seconds'),
  flag('--sample-rate SHARE', 'share of the reports'),
];

export const RESULT_FILTERS = [
  flagsOf(listProbeResults)('--activation ID', 'only this activation', 'activation_id'),
];
