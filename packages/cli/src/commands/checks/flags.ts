import { createAvailabilityCheck } from '@culprit/contract/monitor/availability-checks';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createAvailabilityCheck);

export const TARGET_FIELDS = [
  flag('--method METHOD', 'request method'),
  flag('--expected-status-min N', 'lowest expected status'),
  flag('--expected-status-max N', 'highest expected status'),
  flag('--timeout-ms N', 'timeout of one attempt'),
];

export const CHECK_FIELDS = [
  flag('--name NAME', 'name of the check'),
  flag('--target URL', 'URL to request', 'url'),
  ...TARGET_FIELDS,
  flag('--interval DURATION', 'time between requests', 'interval_seconds'),
  flag('--failure-threshold N', 'consecutive failures until it is down'),
  flag('--recovery-threshold N', 'consecutive successes until it is up'),
  flag('-e, --environment NAME', 'environment of its incidents'),
  flag('--service-name NAME', 'service of its incidents'),
  flag('--enable', 'enable it', 'enabled'),
  flag('--disable', 'disable it', { field: 'enabled', as: 'false' }),
];
