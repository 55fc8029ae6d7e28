import { statement } from '../../../platform/db/statement.ts';

/** The projects that a query may name, with the key under which their users are hashed. */
export const findQueriedProjects = statement.many<
  [projectIds: readonly string[]],
  { project_id: string; slug: string; user_key: Buffer },
  { projectId: string; slug: string; userKey: Buffer }
>(
  'query-projects',
  'select project_id, slug, user_key from projects where project_id = any ($1::uuid[])',
  (row) => ({ projectId: row.project_id, slug: row.slug, userKey: row.user_key }),
);
