import type { LoadGenerator } from '../load/load-generator.ts';
import { fillIncidents } from '../service/fill-incidents.ts';
import type { BenchProject, Service } from '../service/service.ts';
import type { ServiceDatabase } from '../service/service-database.ts';

/** The project of the measured screens: many incidents, each with its trend, and many checks. */

/** Incidents whose evidence was made by the service itself; the newest of the project. */
const REAL_INCIDENTS = 20;
const TREND_HOURS = 24;
const DAYS = 31;

export async function fillProject(
  service: Service,
  database: ServiceDatabase,
  project: BenchProject,
  generator: LoadGenerator,
  { incidents, checks }: { incidents: number; checks: number },
): Promise<void> {
  await fillIncidents(database, project, incidents);
  await fillTrends(database, project);
  await fillChecks(database, project, checks);
  const sent = await generator.send({
    host: service.host,
    port: service.port,
    token: project.projectToken,
    eventSize: 25_000,
    eventsPerRequest: REAL_INCIDENTS,
    connections: 1,
    kinds: REAL_INCIDENTS,
    pace: { kind: 'closed', pauseMs: 0 },
    seconds: null,
    events: REAL_INCIDENTS,
    warmUpSeconds: 0,
  });
  await database.untilProcessed(project, sent.accepted);
  await database.untilNothingIsDue();
}

/** The incident in this place of the active ones, the newest first. */
export async function incidentAt(
  { database }: ServiceDatabase,
  project: BenchProject,
  place: number,
): Promise<string> {
  const [row] = await database.query<{ incident_id: string }>(
    {
      name: 'bench-incident-at',
      text: `select incident_id from incidents where project_id = $1 and status <> 'resolved'
        order by last_seen_at desc, incident_id desc offset $2 limit 1`,
    },
    [project.projectId, place],
  );
  if (row === undefined) throw new Error(`there is no incident in place ${place}`);
  return `inc_${row.incident_id}`;
}

/** A count in every third hour of the last day, in hours that differ from one incident to the next. */
async function fillTrends({ database }: ServiceDatabase, project: BenchProject): Promise<void> {
  await database.query(
    {
      name: 'bench-trends',
      text: `
        insert into incident_hours (incident_id, hour, occurrences, suppressed)
        select incident_id, extract(epoch from culprit_now())::int / 3600 - back, 1 + (occurrence_count * back) % 40, 0
        from incidents, generate_series(0, ${TREND_HOURS - 1}) as back
        where project_id = $1 and (occurrence_count + back) % 3 = 0`,
    },
    [project.projectId],
  );
  await database.script('vacuum analyze incident_hours');
}

/** Checks that are not due while anything is measured, with the days that their list shows. */
async function fillChecks(
  { database }: ServiceDatabase,
  project: BenchProject,
  checks: number,
): Promise<void> {
  await database.query(
    {
      name: 'bench-checks',
      text: `
        insert into availability_checks (check_id, project_id, name, url, method, expected_status_min,
          expected_status_max, timeout_ms, interval_seconds, failure_threshold, recovery_threshold, environment,
          is_enabled, status, last_checked_at, last_result_status, last_result_http_status, last_result_duration_ms,
          grid_at, next_check_at, created_at)
        select gen_random_uuid(), $1, 'check ' || n, 'https://shop.example/health/' || n, 'GET', 200, 399, 5000, 60, 3,
          2, 'production', true, 'passing', culprit_now(), 'success', 200, 40 + n, culprit_now(),
          culprit_now() + interval '1 day', culprit_now() - interval '${DAYS} days'
        from generate_series(1, $2::int) as n`,
    },
    [project.projectId, checks],
  );
  await database.query(
    {
      name: 'bench-check-days',
      text: `
        insert into availability_days (check_id, project_id, day, successful_checks, failed_checks, successful_ms,
          first_checked_at, last_checked_at, downtime_ms, has_opened, has_recovered)
        select check_id, project_id, day::date, 1440, (extract(day from day)::int % 7 = 0)::int * 5, 1440 * 80,
          day, day + interval '1 day' - interval '1 ms', (extract(day from day)::int % 7 = 0)::int * 300000,
          extract(day from day)::int % 7 = 0, extract(day from day)::int % 7 = 0
        from availability_checks,
          generate_series(date_trunc('day', culprit_now()) - interval '${DAYS - 1} days', culprit_now(), '1 day') as day
        where project_id = $1`,
    },
    [project.projectId],
  );
  await database.script('vacuum analyze availability_checks');
  await database.script('vacuum analyze availability_days');
}
