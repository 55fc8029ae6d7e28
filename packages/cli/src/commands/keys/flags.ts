import { createDsnKey } from '@culprit/contract/events/dsn-keys';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createDsnKey);

export const KEY_FIELDS = [
  flag('--label TEXT', 'what it is for'),
  flag('--allowed-origin ORIGIN', 'browser origin from which alone it may be used', 'allowed_origins'),
  flag('--service-name NAME', 'service of events that name none'),
  flag('--events-per-minute N', "limit of the key beside the plan's"),
];

export const KEY_CHANGES = [
  ...KEY_FIELDS,
  flag('--any-origin', 'it may be used from everywhere', { field: 'allowed_origins', as: 'empty list' }),
];
