import { newUuid } from '../../packages/server/src/platform/ids.ts';
import type { BenchProject } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';
import { type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The list of incidents over 100,000 of them, as a dashboard asks for it. */

const INCIDENTS = 100_000;
const ROUNDS = 60;

export const incidentList: RowGroup = {
  rows: ['incident-list'],
  measure: (context) =>
    withService(context, async (service, database) => {
      const project = await service.createProject('list');
      context.progress('list of incidents: filling the database');
      await fill(database, project);
      const { host, port } = service;
      const { memberToken } = project;
      const cursor = await deepCursor(host, port, memberToken);
      const paths = [
        '/v1/incidents',
        '/v1/incidents?status=active',
        `/v1/incidents?project_id=proj_${project.projectId}&limit=100`,
        '/v1/incidents?service=service-3&severity=critical',
        '/v1/incidents?environment=staging',
        `/v1/incidents?limit=50&cursor=${encodeURIComponent(cursor)}`,
      ];
      const runs = await repeated(context, 'list of incidents', () =>
        context.generator.read({ host, port, memberToken, paths, rounds: context.scaled(ROUNDS) }),
      );
      return [
        {
          row: 'incident-list',
          figure: 'GET /v1/incidents with 100,000 incidents, p95',
          unit: 'ms',
          values: runs.map((run) => run.all.p95),
          floorValues: null,
          target: { kind: 'at_most', value: 15 },
          details: { runs: runs.map((run) => run.byPath) },
        },
      ];
    }),
};

/** Straight into the tables; 90 days of incidents of 20 services, the way processing would have left them. */
async function fill({ database }: ServiceDatabase, project: BenchProject): Promise<void> {
  await database.query(
    {
      name: 'bench-services',
      text: `insert into services (service_id, project_id, name, environment, last_seen_at)
        select gen_random_uuid(), $1, 'service-' || n % 10, case when n < 10 then 'production' else 'staging' end,
          culprit_now()
        from generate_series(0, 19) as n`,
    },
    [project.projectId],
  );
  await database.query(
    {
      name: 'bench-incidents',
      text: `
        with numbered as (
          select service_id, name, environment, row_number() over (order by name, environment) - 1 as place
          from services where project_id = $1
        )
        insert into incidents (incident_id, project_id, service_id, service_name, environment, fingerprint_version,
          fingerprint, fingerprint_kind, title, severity, status, first_seen_at, last_seen_at, occurrence_count,
          resolved_at, status_changed_at, matched_fields, reason_kind, reason_description, reason_event_type,
          reason_matched_policy, newest_received_at)
        select gen_random_uuid(), $1, s.service_id, s.name, s.environment, 'v1',
          sha256(convert_to($2 || n::text, 'UTF8')), 'exception', 'TypeError: problem ' || n, n % 4,
          case when n % 3 = 0 then 'resolved' else 'open' end,
          culprit_now() - make_interval(mins => n), culprit_now() - make_interval(secs => n * 30), n % 500 + 1,
          case when n % 3 = 0 then culprit_now() end, culprit_now(),
          '{environment,service,error_type,normalized_message,top_frames}', 'backend_exception',
          'Unhandled TypeError', 'backend_exception', 'always_incident', culprit_now()
        from generate_series(1, ${INCIDENTS}) as n join numbered s on s.place = n % 20`,
    },
    [project.projectId, newUuid()],
  );
  await database.script('vacuum analyze incidents');
  await database.script('analyze services');
}

/** Where a reader stands after twenty pages. */
async function deepCursor(host: string, port: number, memberToken: string): Promise<string> {
  let cursor = '';
  for (let page = 0; page < 20; page += 1) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`http://${host}:${port}/v1/incidents?limit=100${query}`, {
      headers: { authorization: `Bearer ${memberToken}` },
    });
    const { next_cursor: next } = await answer.json();
    if (typeof next !== 'string') throw new Error(`the list answered ${answer.status} without a next page`);
    cursor = next;
  }
  return cursor;
}
