import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';

/** Statements over people who watch incidents. Ids are bare UUIDs. */

export interface Watcher {
  projectId: string;
  incidentId: string;
  userId: string;
}

/** Those with access to the project, by the time at which they began. */
export const findWatchers = statement.many<
  [projectId: string, incidentId: string, limit: number],
  { user_id: string; name: string },
  { userId: string; name: string }
>(
  'watchers-of-incident',
  `select w.user_id, coalesce(u.name, u.handle) as name
    from incident_watchers w join users u using (user_id)
      join project_members m on m.user_id = w.user_id and m.project_id = w.project_id
    where w.project_id = $1 and w.incident_id = $2
    order by w.created_at, w.user_id limit $3`,
  (row) => ({ userId: row.user_id, name: row.name }),
);

export async function isWatcher(
  database: Queryable,
  { projectId, incidentId, userId }: Watcher,
): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'watcher-is',
      text: 'select 1 from incident_watchers where project_id = $1 and incident_id = $2 and user_id = $3',
    },
    [projectId, incidentId, userId],
  );
  return rows.length > 0;
}

/** Adds those that do not watch yet. */
export function insertWatchers(transaction: Transaction, watchers: readonly Watcher[]): void {
  if (watchers.length === 0) return;
  transaction.send(
    {
      name: 'watchers-insert',
      // An incident that retention takes at this moment leaves no row behind.
      text: `insert into incident_watchers (project_id, incident_id, user_id)
        select i.project_id, i.incident_id, w.user_id
        from json_to_recordset($1::json) as w (project_id uuid, incident_id uuid, user_id uuid)
          join incidents i on i.incident_id = w.incident_id and i.project_id = w.project_id
        on conflict do nothing`,
    },
    [
      JSON.stringify(
        watchers.map(({ projectId, incidentId, userId }) => ({
          project_id: projectId,
          incident_id: incidentId,
          user_id: userId,
        })),
      ),
    ],
  );
}

export function deleteWatcher(transaction: Transaction, { projectId, incidentId, userId }: Watcher): void {
  transaction.send(
    {
      name: 'watcher-delete',
      text: 'delete from incident_watchers where project_id = $1 and incident_id = $2 and user_id = $3',
    },
    [projectId, incidentId, userId],
  );
}
