import type { QueryOf } from '@culprit/contract/endpoint';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import type { listServices as endpoint, Service } from '@culprit/contract/services';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId, prefixedId } from '../platform/ids.ts';
import { projectsInScope } from '../projects/projects-in-scope.ts';
import type { Member } from '../tokens/authenticate-member.ts';

/**
 * A page of services by name, environment and id (incidents.md 7.1).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended` for a named project
 */
export async function listServices(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ services: Service[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, 3);
  const afterId = after === null ? null : parseId([], after[2] ?? '');
  if (query.cursor !== undefined && (after === null || afterId === null)) throw new Problem('invalid_query');
  const rows = await database.query<{
    service_id: string;
    project_id: string;
    name: string;
    environment: string;
    runtime: string | null;
    framework: string | null;
  }>(LIST, [
    await projectsInScope(database, plans, member, query.project_id),
    after?.[0] ?? null,
    after?.[1] ?? null,
    afterId,
    limit + 1,
  ]);
  const services = rows
    .slice(0, limit)
    .map((row) => ({ ...row, project_id: prefixedId('proj', row.project_id) }));
  const last = services.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    services,
    next_cursor: isEnd ? null : encodeCursor([last.name, last.environment, last.service_id]),
  };
}

const LIST = {
  name: 'services-list',
  text: `
    select service_id, project_id, name, environment, runtime, framework
    from services
    where project_id = any ($1::uuid[]) and ($2::text is null or (name, environment, service_id) > ($2, $3, $4::uuid))
    order by name, environment, service_id limit $5`,
};
