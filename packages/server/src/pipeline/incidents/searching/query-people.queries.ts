import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Handles of people of some projects and slugs of the teams among them that begin with a text. */
export async function findAssigneeHandles(
  database: Queryable,
  projectIds: readonly string[],
  { typed, kinds, limit }: { typed: string; kinds: readonly ('user' | 'team')[]; limit: number },
): Promise<{ value: string; hint: string }[]> {
  return await database.query<{ value: string; hint: string }>(
    sql('query-assignees')`select handle as value, name as hint from (
          select u.handle, coalesce(u.name, u.email) as name, 'user' as kind from users u
          where exists (select from project_members m
            where m.user_id = u.user_id and m.project_id = any ($1::uuid[]))
          union all
          select t.slug, t.name, 'team' from teams t
          where exists (select from team_members tm join project_members m on m.user_id = tm.user_id
              join projects p on p.project_id = m.project_id and p.organization_id = t.organization_id
            where tm.team_id = t.team_id and m.project_id = any ($1::uuid[]))
        ) named
        where starts_with(handle, $2) and kind = any ($3::text[]) order by handle limit $4`,
    [[...projectIds], typed, [...kinds], limit],
  );
}
