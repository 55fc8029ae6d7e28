import { createAvailabilityCheck } from '@culprit/contract/monitor/availability-checks';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createAvailabilityCheck);

export const TARGET_FIELDS = [
  flag('--method METHOD', 'of the request'),
  flag('--expected-status-min N', 'lowest status that is fine'),
  flag('--expected-status-max N', 'highest status that is fine'),
  flag('--timeout-ms N', 'of one attempt'),
];

export const CHECK_FIELDS = [
  flag('--name NAME', 'name of the check'),
  flag('--target URL', 'what is asked', 'url'),
  ...TARGET_FIELDS,
  flag('--interval DURATION', 'how often', 'interval_seconds'),
  flag('--failure-threshold N', 'failures in a row until it is down'),
  flag('--recovery-threshold N', 'successes in a row until it is up'),
  flag('-e, --environment NAME', 'of its incidents'),
  flag('--service-name NAME', 'of its incidents'),
  flag('--enable', 'enable it', 'enabled'),
  flag('--disable', 'disable it', { field: 'enabled', as: 'false' }),
];
