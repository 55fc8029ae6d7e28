import {
  createMemberToken,
  createProjectToken,
  rotateProjectToken,
} from '@culprit/contract/workspace/tokens';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createProjectToken);

export const TOKEN_FIELDS = [
  flag('--label TEXT', 'what it is for'),
  flag('--allowed-origin ORIGIN', 'browser origin from which alone it may be used', 'allowed_origins'),
];

/** The fields of a rotation. */
export const OVERLAP_FIELDS = [
  flagsOf(rotateProjectToken)(
    '--overlap-hours N',
    'hours that the old one still works; 0 revokes it immediately',
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
