import type { Queryable } from '../../../platform/db/database.ts';

/** The projects that a query may name, with the key under which their users are hashed. */
export async function findQueriedProjects(
  database: Queryable,
  projectIds: readonly string[],
): Promise<{ projectId: string; slug: string; userKey: Buffer }[]> {
  const rows = await database.query<{ project_id: string; slug: string; user_key: Buffer }>(
    {
      name: 'query-projects',
      text: 'select project_id, slug, user_key from projects where project_id = any ($1::uuid[])',
    },
    [[...projectIds]],
  );
  return rows.map((row) => ({ projectId: row.project_id, slug: row.slug, userKey: row.user_key }));
}
