import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql, statement } from '../../../platform/db/statement.ts';

/** Statements over people who watch incidents. Ids are bare UUIDs. */

interface Watcher {
  projectId: string;
  incidentId: string;
  userId: string;
}

/** A person who begins to watch, or a team whose people do. */
export type NewWatcher = Watcher | (Omit<Watcher, 'userId'> & { teamId: string });

/** People of one team who begin to watch an incident. */
const TEAM_WATCHERS_MAX = 50;

/** Those with access to the project, by the time at which they began. */
export const findWatchers = statement.many<
  [projectId: string, incidentId: string, limit: number],
  { userId: string; name: string }
>(
  'watchers-of-incident',
  `select w.user_id as "userId", coalesce(u.name, u.handle) as name
    from incident_watchers w join users u using (user_id)
      join project_members m on m.user_id = w.user_id and m.project_id = w.project_id
    where w.project_id = $1 and w.incident_id = $2
    order by w.created_at, w.user_id limit $3`,
);

export async function isWatcher(
  database: Queryable,
  { projectId, incidentId, userId }: Watcher,
): Promise<boolean> {
  const rows = await database.query(
    sql(
      'watcher-is',
    )`select 1 from incident_watchers where project_id = $1 and incident_id = $2 and user_id = $3`,
    [projectId, incidentId, userId],
  );
  return rows.length > 0;
}

/** Adds those that do not watch yet; of a team the people with access to the project. */
export function insertWatchers(transaction: Transaction, watchers: readonly NewWatcher[]): void {
  if (watchers.length === 0) return;
  transaction.send(
    {
      name: 'watchers-insert',
      // An incident that retention takes at this moment leaves no row behind.
      text: `insert into incident_watchers (project_id, incident_id, user_id)
        select i.project_id, i.incident_id, person.user_id
        from json_to_recordset($1::json) as w (project_id uuid, incident_id uuid, user_id uuid, team_id uuid)
          join incidents i on i.incident_id = w.incident_id and i.project_id = w.project_id
          cross join lateral (
            select w.user_id where w.user_id is not null
            union all
            (select m.user_id from team_members tm
              join project_members m on m.user_id = tm.user_id and m.project_id = w.project_id
              where tm.team_id = w.team_id order by m.user_id limit ${TEAM_WATCHERS_MAX})) person
        on conflict do nothing`,
    },
    [
      JSON.stringify(
        watchers.map(({ projectId, incidentId, ...who }) => ({
          project_id: projectId,
          incident_id: incidentId,
          user_id: 'userId' in who ? who.userId : null,
          team_id: 'teamId' in who ? who.teamId : null,
        })),
      ),
    ],
  );
}

export function deleteWatcher(transaction: Transaction, { projectId, incidentId, userId }: Watcher): void {
  transaction.send(
    sql(
      'watcher-delete',
    )`delete from incident_watchers where project_id = $1 and incident_id = $2 and user_id = $3`,
    [projectId, incidentId, userId],
  );
}

/** Lets the people who watch incidents watch the one into which these are merged, which stays when they are split off. */
export function copyWatchers(
  transaction: Transaction,
  projectId: string,
  { fromIds, intoId }: { fromIds: readonly string[]; intoId: string },
): void {
  transaction.send(
    sql('watchers-copy')`insert into incident_watchers (project_id, incident_id, user_id, created_at)
        select project_id, $2, user_id, min(created_at) from incident_watchers
        where project_id = $1 and incident_id = any ($3::uuid[]) group by project_id, user_id
        on conflict do nothing`,
    [projectId, intoId, [...fromIds]],
  );
}
