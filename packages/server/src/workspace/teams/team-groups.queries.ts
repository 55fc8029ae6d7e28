import { inTransaction } from '../../platform/db/statement.ts';
import { HAS_ACCESS } from './teams.queries.ts';

/** Statements over places in teams that groups of the provider give. */

/** A team that the groups of a person put them into, or no longer do. */
export interface TeamDifference {
  team_id: string;
  organization_id: string;
  slug: string;
  /** False: the person leaves. */
  is_wanted: boolean;
}

/** The most teams that one sign-in changes; the next one continues. */
const CHANGES_MAX = 500;

/** Lists the teams that a person joins or leaves, in the order in which every sign-in locks them. */
export const listTeamDifferences = inTransaction.many<
  [userId: string, groups: readonly string[]],
  TeamDifference
>(
  'team-differences',
  `with wanted as (
      select distinct t.team_id
      from group_grants g join teams t on t.team_id = g.team_id join users u on u.user_id = $1
      where g.group_name = any ($2) and ${HAS_ACCESS}
    ), given as (
      select team_id, source from team_members where user_id = $1
    )
    select t.team_id, t.organization_id, t.slug, wanted.team_id is not null as is_wanted
    from wanted full join given using (team_id) join teams t using (team_id)
    where given.source is null or (given.source = 'oidc' and wanted.team_id is null)
    order by t.team_id limit ${CHANGES_MAX}`,
);

/** Adds a person to a team because of their groups; false when they are in it already. */
export const addGroupMember = inTransaction.exists<[teamId: string, userId: string]>(
  'team-group-member-add',
  `insert into team_members (team_id, user_id, source) values ($1, $2, 'oidc')
    on conflict do nothing returning user_id`,
);

/** Removes a person whom groups put into a team; false when people put them there. */
export const removeGroupMember = inTransaction.exists<[teamId: string, userId: string]>(
  'team-group-member-remove',
  `delete from team_members where team_id = $1 and user_id = $2 and source = 'oidc' returning user_id`,
);
