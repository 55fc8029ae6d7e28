import { updateProfile } from '@culprit/contract/workspace/people';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateProfile);

/** The fields of a person's own profile. */
export const PROFILE_FIELDS = [
  flag('--name NAME', 'name that others see'),
  flag('--handle HANDLE', 'handle to mention you in notes'),
];
