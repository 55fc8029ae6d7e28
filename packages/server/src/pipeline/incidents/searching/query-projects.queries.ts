import { statement } from '../../../platform/db/statement.ts';

/** The projects that a query may name, with the key under which their users are hashed. */
export const findQueriedProjects = statement.many<
  [projectIds: readonly string[]],
  { projectId: string; slug: string; userKey: Buffer }
>(
  'query-projects',
  `select project_id as "projectId", slug, user_key as "userKey" from projects
    where project_id = any ($1::uuid[])`,
);
