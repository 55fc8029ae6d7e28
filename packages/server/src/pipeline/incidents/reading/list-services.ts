import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listServices as endpoint, Service } from '@culprit/contract/incidents/services';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { sql } from '../../../platform/db/statement.ts';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import { parseId, prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';

interface ServicesPage {
  /** Name, environment and bare id of the last service of the page before. */
  after: readonly [string, string, string] | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkServicesPage({ query }: { query: QueryOf<typeof endpoint> }): ServicesPage {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  if (query.cursor === undefined) return { after: null, limit };
  const [name = '', environment = '', id = ''] = decodeCursor(query.cursor, 3) ?? [];
  const serviceId = parseId([], id);
  if (serviceId === null) throw invalidCursor();
  return { after: [name, environment, serviceId], limit };
}

/** A page of services by name, environment and id (docs/contract/incidents.md 7.1). */
export async function listServices(
  { database }: Runtime,
  { access, checked: { after, limit } }: ApiRequest<typeof endpoint, ServicesPage>,
): Promise<{ services: Service[]; next_cursor: string | null }> {
  const rows = await database.query<{
    service_id: string;
    project_id: string;
    name: string;
    environment: string;
    runtime: string | null;
    framework: string | null;
  }>(LIST, [[...access.projectIds], ...(after ?? [null, null, null]), limit + 1]);
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

const LIST = sql('services-list')`
    select service_id, project_id, name, environment, runtime, framework
    from services
    where project_id = any ($1::uuid[]) and ($2::text is null or (name, environment, service_id) > ($2, $3, $4::uuid))
    order by name, environment, service_id limit $5`;
