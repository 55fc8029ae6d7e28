import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** The decisions of people about an incident, in the form of its row. */
export interface TriageState {
  incidentId: string;
  projectId: string;
  /** Place in `PRIORITY_LEVELS`. */
  priority: number | null;
  assigneeUserId: string | null;
  assigneeTeamId: string | null;
  assignedAtMs: number | null;
}

/** The rows of incidents that a caller holds; those without a row are missing. */
export async function findTriage(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, TriageState>> {
  const rows = await database.query<TriageState>(
    sql('triage-find')`select incident_id as "incidentId", project_id as "projectId", priority,
          assignee_user_id as "assigneeUserId", assignee_team_id as "assigneeTeamId", assigned_at as "assignedAtMs"
        from incident_triage where incident_id = any ($1::uuid[])`,
    [[...incidentIds]],
  );
  return new Map(rows.map((row) => [row.incidentId, row]));
}

const COLUMNS = [
  ['incident_id', 'uuid'],
  ['project_id', 'uuid'],
  ['priority', 'smallint'],
  ['assignee_user_id', 'uuid'],
  ['assignee_team_id', 'uuid'],
  ['assigned_at', 'timestamptz'],
] as const;

/** Saves assignee and priority of incidents that the caller holds. */
export function saveTriage(transaction: Transaction, states: readonly TriageState[]): void {
  if (states.length === 0) return;
  transaction.send(
    sql('triage-save')`insert into incident_triage (${COLUMNS.map(([name]) => name).join(', ')})
        select * from ${unnestColumns(COLUMNS, 1, 't')}
        on conflict (incident_id) do update set priority = excluded.priority,
          assignee_user_id = excluded.assignee_user_id, assignee_team_id = excluded.assignee_team_id,
          assigned_at = excluded.assigned_at`,
    columnLiterals(
      COLUMNS,
      states.map((state) => ({
        incident_id: state.incidentId,
        project_id: state.projectId,
        priority: state.priority,
        assignee_user_id: state.assigneeUserId,
        assignee_team_id: state.assigneeTeamId,
        assigned_at: state.assignedAtMs === null ? null : new Date(state.assignedAtMs).toISOString(),
      })),
    ),
  );
}

/** A person or a team as histories name it. */
export interface AssigneeName {
  kind: 'user' | 'team';
  id: string;
  name: string;
}

/**
 * A person who has access to all of the projects, whose memberships are held until the transaction ends; null where
 * one is missing.
 */
export async function holdAssignee(
  transaction: Transaction,
  userId: string,
  projectIds: readonly string[],
): Promise<AssigneeName | null> {
  const rows = await transaction.query<{ name: string }>(
    sql('assignee-hold')`select coalesce(u.name, u.handle) as name
        from project_members m join users u on u.user_id = m.user_id
        where m.user_id = $1 and m.project_id = any ($2::uuid[]) for key share of m`,
    [userId, [...projectIds]],
  );
  const [row] = rows;
  return row === undefined || rows.length < projectIds.length
    ? null
    : { kind: 'user', id: userId, name: row.name };
}

/**
 * A team of the projects' organization with at least one person in each of them, held until the transaction ends; null
 * where there is none.
 */
export async function holdAssignedTeam(
  transaction: Transaction,
  teamId: string,
  projectIds: readonly string[],
): Promise<AssigneeName | null> {
  const [row] = await transaction.query<{ name: string }>(
    sql('assignee-team-hold')`select t.name from teams t
        where t.team_id = $1 and not exists (
          select from unnest($2::uuid[]) as asked (project_id)
          where not exists (
            select from projects p join project_members m on m.project_id = p.project_id
              join team_members tm on tm.user_id = m.user_id and tm.team_id = t.team_id
            where p.project_id = asked.project_id and p.organization_id = t.organization_id))
        for key share of t`,
    [teamId, [...projectIds]],
  );
  return row === undefined ? null : { kind: 'team', id: teamId, name: row.name };
}

/** The assignee of a project's incident, held as above; null where there is none, or one without access. */
export async function holdAssigned(
  transaction: Transaction,
  projectId: string,
  { assigneeUserId, assigneeTeamId }: Pick<TriageState, 'assigneeUserId' | 'assigneeTeamId'>,
): Promise<AssigneeName | null> {
  if (assigneeUserId !== null) return await holdAssignee(transaction, assigneeUserId, [projectId]);
  return assigneeTeamId === null ? null : await holdAssignedTeam(transaction, assigneeTeamId, [projectId]);
}

/** The names of people and teams by id; those that are gone are missing. */
export async function findAssigneeNames(
  database: Queryable,
  ids: { users: readonly string[]; teams: readonly string[] },
): Promise<Map<string, AssigneeName>> {
  const names = await findNames(database, ids.users);
  if (ids.teams.length === 0) return names;
  const rows = await database.query<{ team_id: string; name: string }>(
    sql('teams-names')`select team_id, name from teams where team_id = any ($1::uuid[])`,
    [[...ids.teams]],
  );
  for (const { team_id: id, name } of rows) names.set(id, { kind: 'team', id, name });
  return names;
}

/** The names of people by id; those whose accounts are gone are missing. */
export async function findNames(
  database: Queryable,
  userIds: readonly string[],
): Promise<Map<string, AssigneeName>> {
  if (userIds.length === 0) return new Map();
  const rows = await database.query<{ user_id: string; name: string }>(
    sql(
      'people-names',
    )`select user_id, coalesce(name, handle) as name from users where user_id = any ($1::uuid[])`,
    [[...userIds]],
  );
  return new Map(rows.map(({ user_id: id, name }) => [id, { kind: 'user', id, name }]));
}

/** Up to `limit` incidents of a project that are assigned to a person or a team. */
export async function findAssignedTo(
  database: Queryable,
  projectId: string,
  { kind, id }: Pick<AssigneeName, 'kind' | 'id'>,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ incident_id: string }>(
    sql(`triage-assigned-to-${kind}`)`select incident_id from incident_triage
        where assignee_${kind}_id = $2 and project_id = $1 order by incident_id limit $3`,
    [projectId, id, limit],
  );
  return rows.map((row) => row.incident_id);
}
