import { updateProfile } from '@culprit/contract/workspace/people';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateProfile);

/** The fields of a person's own profile. */
export const PROFILE_FIELDS = [
  flag('--name NAME', 'as others see you'),
  flag('--handle HANDLE', 'by which notes mention you'),
];
