import {
  insertSearchRows,
  type SearchRow,
} from '../../packages/server/src/pipeline/incidents/searching/search-rows.queries.ts';
import type { BenchProject } from './service.ts';
import type { ServiceDatabase } from './service-database.ts';

/**
 * Writes the search data of the incidents of `fillIncidents` as processing would have left it: documents through its
 * own statement, and four tags each, of which one has 2,000 values.
 */
export async function fillSearch(
  { database }: Pick<ServiceDatabase, 'database'>,
  { projectId }: Pick<BenchProject, 'projectId'>,
): Promise<void> {
  const incidents = await database.query<{
    incident_id: string;
    number: number;
    title: string;
    service_name: string;
    environment: string;
    reason_kind: string;
  }>(
    {
      name: 'bench-incidents-read',
      text: `select incident_id, number::int - 1000000 as number, title, service_name, environment, reason_kind
        from incidents where project_id = $1`,
    },
    [projectId],
  );
  const rows = incidents.map(
    ({
      incident_id: incidentId,
      number: n,
      title,
      service_name: service,
      environment,
      reason_kind: kind,
    }): SearchRow => ({
      incidentId,
      hasOwnFrames: true,
      facts: {
        ...{ title, service, environment, kind, tagValues: [`tenant-${n % 2000}`] },
        types: [`${['Type', 'Range', 'Timeout', 'Conflict'][n % 4]}Error`],
        functions: [`load${n % 500}`, `render${n % 90}`, 'handleRequest'],
        files: [`src/area-${n % 200}/file-${n % 3000}.ts`, 'src/server.ts'],
        messages: [title.toLowerCase()],
        routes: [`/api/thing-${n % 300}/:id`],
        statuses: [String(400 + (n % 130))],
        releases: [`1.${n % 40}.0`, `1.${(n % 40) + 1}.0`],
      },
    }),
  );
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    await database.transaction(async (transaction) =>
      insertSearchRows(transaction, projectId, rows.slice(from, from + ROWS_PER_STATEMENT)),
    );
  }
  await database.query(
    {
      name: 'bench-tags',
      text: `insert into incident_tags (project_id, incident_id, key, value, count, first_seen_at, last_seen_at)
        select project_id, incident_id, tag.key, tag.key || '-' || (number - 1000000) % tag.kinds, 5, first_seen_at,
          last_seen_at
        from incidents, (values ('tenant', 2000), ('region', 8), ('browser', 5), ('flag', 2)) as tag (key, kinds)
        where project_id = $1`,
    },
    [projectId],
  );
  for (const table of ['incident_search', 'incident_tags']) await database.script(`vacuum analyze ${table}`);
}

const ROWS_PER_STATEMENT = 2000;
