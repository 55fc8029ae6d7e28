import { newUuid } from '../../packages/server/src/platform/ids.ts';
import type { BenchProject } from './service.ts';
import type { ServiceDatabase } from './service-database.ts';

/**
 * Incidents of 20 services straight into the tables, the way processing would have left them: the newest was seen half a
 * minute ago, and each further one half a minute before it. Two of three are active.
 */
export async function fillIncidents(
  { database }: Pick<ServiceDatabase, 'database'>,
  project: Pick<BenchProject, 'projectId'>,
  incidents: number,
): Promise<void> {
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
        insert into incidents (incident_id, number, project_id, service_id, service_name, environment, fingerprint_version,
          fingerprint, fingerprint_kind, title, severity, status, first_seen_at, last_seen_at, occurrence_count,
          resolved_at, status_changed_at, matched_fields, readers, rule, reason_kind, reason_description, reason_event_type,
          reason_matched_policy, newest_received_at)
        select gen_random_uuid(), 1000000 + n, $1, s.service_id, s.name, s.environment, 'v2',
          sha256(convert_to($2 || n::text, 'UTF8')), 'exception', 'TypeError: problem ' || n, n % 4,
          case when n % 3 = 0 then 'resolved' else 'open' end,
          culprit_now() - make_interval(mins => n), culprit_now() - make_interval(secs => n * 30), n % 500 + 1,
          case when n % 3 = 0 then culprit_now() end, culprit_now(),
          '{environment,service,error_type,normalized_message,top_frames}', '{js_trace}', 'own_frames', 'backend_exception',
          'Unhandled TypeError', 'backend_exception', 'always_incident', culprit_now()
        from generate_series(1, $3::int) as n join numbered s on s.place = n % 20`,
    },
    [project.projectId, newUuid(), incidents],
  );
  await database.script('vacuum analyze incidents');
  await database.script('vacuum analyze incident_titles');
  await database.script('analyze services');
}
