import { TEAMS_MAX, type Team } from '@culprit/contract/workspace/teams';
import { isUniqueViolation, type Queryable, type Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import type { RecordTable } from '../access/access.queries.ts';

/** The table in which the binder finds a team that a request names. */
export const TEAM_RECORDS: RecordTable = {
  from: 'teams t join projects tp on tp.organization_id = t.organization_id',
  projectId: 'tp.project_id',
  recordId: 't.team_id',
};

/** Statements over teams, each bound to an organization. Ids are bare UUIDs. */

interface TeamRow {
  team_id: string;
  organization_id: string;
  slug: string;
  name: string;
  members: Team['members'];
  created_at: number;
  updated_at: number;
}

/** The condition in SQL that a person `u` has access to a project of the organization of a team `t`. */
export const HAS_ACCESS = `exists (select from project_members m join projects p on p.project_id = m.project_id
  where m.user_id = u.user_id and p.organization_id = t.organization_id and p.deleted_at is null)`;

const COLUMNS = `t.team_id, t.organization_id, t.slug, t.name, t.created_at, t.updated_at,
  coalesce((select json_agg(json_build_object('user_id', u.user_id, 'name', u.name, 'email', u.email,
      'handle', u.handle, 'source', tm.source) order by lower(coalesce(u.name, u.handle)), u.user_id)
    from team_members tm join users u on u.user_id = tm.user_id
    where tm.team_id = t.team_id and ${HAS_ACCESS}), '[]') as members`;

/** The teams of an organization, by name. */
export const listTeamRows = statement.many<[organizationId: string], TeamRow, Team>(
  'teams-list',
  `select ${COLUMNS} from teams t where t.organization_id = $1
    order by lower(t.name), t.team_id limit ${TEAMS_MAX}`,
  teamOf,
);

/** One team; null when it is gone. */
export const findTeam = statement.one<[teamId: string], TeamRow, Team>(
  'team-find',
  `select ${COLUMNS} from teams t where t.team_id = $1`,
  teamOf,
);

/** Holds a team until the transaction ends, so that its changes follow one another; false when it is gone. */
export const holdTeam = inTransaction.exists<[teamId: string]>(
  'team-hold',
  'select from teams where team_id = $1 for update',
);

/** Returns the number of teams of an organization. One transaction at a time counts and adds them. */
export async function countTeams(transaction: Transaction, organizationId: string): Promise<number> {
  await transaction.query(
    sql('teams-hold')`select pg_advisory_xact_lock(hashtextextended('culprit.teams.' || $1, 0))`,
    [organizationId],
  );
  const [row] = await transaction.query<{ count: number }>(
    sql('teams-count')`select count(*)::integer as count from teams where organization_id = $1`,
    [organizationId],
  );
  return row?.count ?? 0;
}

/** Writes a team, new or changed; false when another one of the organization has the slug. */
export async function saveTeam(
  database: Queryable,
  team: { teamId: string; organizationId: string; slug: string; name: string },
): Promise<boolean> {
  try {
    await database.query(
      sql('team-save')`insert into teams (team_id, organization_id, slug, name) values ($1, $2, $3, $4)
          on conflict (team_id) do update set slug = excluded.slug, name = excluded.name,
            updated_at = culprit_now()`,
      [team.teamId, team.organizationId, team.slug, team.name],
    );
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

export const removeTeam = inTransaction.run<[teamId: string]>(
  'team-delete',
  'delete from teams where team_id = $1',
);

/** Returns true if a person of the organization's projects has the handle. */
export const isHandleThere = statement.exists<[organizationId: string, handle: string]>(
  'team-handle-there',
  `select from users u join project_members m on m.user_id = u.user_id
    join projects p on p.project_id = m.project_id and p.deleted_at is null
    where u.handle = $2 and p.organization_id = $1 limit 1`,
);

/** Returns true if a team of an organization whose projects the person sees has the slug. */
export const isSlugThere = statement.exists<[userId: string, slug: string]>(
  'team-slug-there',
  `select from teams t join projects p on p.organization_id = t.organization_id and p.deleted_at is null
    join project_members m on m.project_id = p.project_id
    where t.slug = $2 and m.user_id = $1 limit 1`,
);

/**
 * Adds a person to a team, as people do: groups of the provider no longer remove them. False when they have no access
 * to a project of its organization.
 */
export const addMember = inTransaction.exists<[teamId: string, userId: string]>(
  'team-member-add',
  `with allowed as (
      select u.user_id from users u, teams t where u.user_id = $2 and t.team_id = $1 and ${HAS_ACCESS}
    ), added as (
      insert into team_members (team_id, user_id) select $1, user_id from allowed
      on conflict (team_id, user_id) do update set source = 'manual')
    select from allowed`,
);

/** Removes a person from a team; false when they are not in it. */
export const removeMember = inTransaction.exists<[teamId: string, userId: string]>(
  'team-member-remove',
  'delete from team_members where team_id = $1 and user_id = $2 returning user_id',
);

/** The teams with people who see the project, as assignments and mentions name them. */
export const listProjectTeams = statement.many<
  [projectId: string],
  { team_id: string; slug: string; name: string }
>(
  'teams-of-project',
  `select t.team_id, t.slug, t.name
    from teams t join projects p on p.organization_id = t.organization_id
    where p.project_id = $1 and exists (
      select from team_members tm join project_members m on m.user_id = tm.user_id
      where tm.team_id = t.team_id and m.project_id = $1)
    order by lower(t.name), t.team_id limit ${TEAMS_MAX}`,
);

function teamOf(row: TeamRow): Team {
  return {
    team_id: row.team_id,
    organization_id: row.organization_id,
    slug: row.slug,
    name: row.name,
    members: row.members,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
