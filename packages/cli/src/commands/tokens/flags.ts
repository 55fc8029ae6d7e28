import {
  createMemberToken,
  createProjectToken,
  rotateProjectToken,
} from '@culprit/contract/workspace/tokens';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createProjectToken);

export const TOKEN_FIELDS = [
  flag('--label TEXT', 'purpose of the token'),
  flag('--allowed-origin ORIGIN', 'the only browser origin that can use it', 'allowed_origins'),
];

/** The fields of a rotation. */
export const OVERLAP_FIELDS = [
  flagsOf(rotateProjectToken)(
    '--overlap-hours N',
    'hours that the old token still works; 0 revokes it immediately',
    { standard: '24' },
  ),
];

/** The fields of member tokens. */
export const ACCESS_FIELDS = [
  flagsOf(createMemberToken)(
    '--access WORD',
    'with --member: read changes nothing; build uploads source maps and nothing else, for CI',
    { standard: 'full' },
  ),
];
