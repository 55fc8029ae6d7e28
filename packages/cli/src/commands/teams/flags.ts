import { updateTeam } from '@culprit/contract/workspace/teams';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateTeam);

/** The fields of a team that can change. */
export const TEAM_FIELDS = [
  flag('--name NAME', 'as people see it'),
  flag('--slug SLUG', 'by which notes mention it'),
];
