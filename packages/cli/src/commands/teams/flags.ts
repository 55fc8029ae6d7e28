import { updateTeam } from '@culprit/contract/workspace/teams';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateTeam);

/** The fields of a team that can change. */
export const TEAM_FIELDS = [
  flag('--name NAME', 'displayed name'),
  flag('--slug SLUG', 'slug to mention it in notes'),
];
