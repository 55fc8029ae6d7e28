import { createDsnKey } from '@culprit/contract/events/dsn-keys';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createDsnKey);

export const KEY_FIELDS = [
  flag('--label TEXT', 'purpose of the key'),
  flag('--allowed-origin ORIGIN', 'the only browser origin that can use it', 'allowed_origins'),
  flag('--service-name NAME', 'service of events without one'),
  flag('--events-per-minute N', 'limit of the key, in addition to that of the plan'),
];

export const KEY_CHANGES = [
  ...KEY_FIELDS,
  flag('--any-origin', 'allow every origin', { field: 'allowed_origins', as: 'empty list' }),
];
