import { createReports } from '../../src/notify/reports/create-reports.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { newAddress } from '../support/people.ts';
import { type NextReport, reportClient } from '../support/report-client.ts';

/** Where the server of these tests is. */
export const REPORTS_APP_URL = 'https://app.example.test';

/** A server whose reports are made by the worker alone, and by `lookOnce`. */
export function startReporting(): Promise<TestCulprit> {
  return startCulprit({ retryScale: 0.01, duties: [], appUrl: REPORTS_APP_URL });
}

/** Looks until nothing is left to plan or to make, as a worker does. */
export async function lookOnce(culprit: TestCulprit, database = culprit.database): Promise<void> {
  const keys = deriveKeys(culprit.dataKey);
  while (await createReports({ database, keys, appUrl: REPORTS_APP_URL }));
}

/** A project whose mail channel reports at the next full hour, to an address of its own unless one is given. */
export async function scheduled(
  culprit: TestCulprit,
  next: NextReport,
  options: { email?: string; name?: string } = {},
): Promise<{ project: TestProject; email: string; channelId: string }> {
  const email = options.email ?? newAddress('report');
  const project = await culprit.createProject({ ...options, email });
  const { channel_id: channelId } = await reportClient(culprit, project).reportAt(next.schedule);
  return { project, email, channelId };
}

/** Very many projects at once, one for each of these addresses. */
export async function crowd(
  culprit: TestCulprit,
  { schedule }: NextReport,
  emails: readonly string[],
): Promise<{ projectId: string; channelId: string }[]> {
  const { projectId } = await culprit.createProject();
  const rows = await culprit.database.query<{ project_id: string; channel_id: string }>(
    {
      name: 'test-crowd',
      text: `
        with asked as (
          select gen_random_uuid() as project_id, email, n from unnest($2::text[]) with ordinality as t (email, n)
        ), made as (
          insert into projects select (jsonb_populate_record(p,
              jsonb_build_object('project_id', asked.project_id, 'slug', 'crowd-' || n, 'incident_key', null))).*
          from projects p, asked where p.project_id = $1 returning project_id
        )
        insert into weekly_report_channels
          (channel_id, project_id, channel, config, day_of_week, hour_of_day, timezone)
        select gen_random_uuid(), project_id, 'email', jsonb_build_object('to', jsonb_build_array(email)), $3, $4, 'UTC'
        from made join asked using (project_id)
        returning channel_id, project_id`,
    },
    [parseId(['proj'], projectId), [...emails], schedule.day_of_week, schedule.hour_of_day],
  );
  return rows.map((row) => ({ projectId: row.project_id, channelId: row.channel_id }));
}

/** Ledger rows of some projects, as transitions leave them. */
export async function happened(
  culprit: TestCulprit,
  projects: { projectId: string } | readonly { projectId: string }[],
  kind: string,
  atMs: number,
  { incidentId = newUuid(), ratio }: { incidentId?: string; ratio?: number | undefined } = {},
): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-ledger',
      text: `insert into lifecycle_events (project_id, incident_id, kind, occurred_at, data)
        select project_id, $2, $3, $4, $5 from unnest($1::uuid[]) as p (project_id)`,
    },
    [
      [projects].flat().map(({ projectId }) => parseId(['proj'], projectId) ?? ''),
      incidentId,
      kind,
      new Date(atMs),
      JSON.stringify(ratio === undefined ? {} : { ratio }),
    ],
  );
}

/** Occurrences of an incident in one minute, as the worker counts them; those of an old minute are in its hour. */
export async function occurred(
  culprit: TestCulprit,
  incidentId: string | undefined,
  atMs: number,
  occurrences: number,
): Promise<void> {
  const isOld = atMs < Date.now() - 86_400_000;
  await culprit.database.query(
    isOld
      ? {
          name: 'test-hour',
          text: `insert into incident_hours (incident_id, hour, occurrences, suppressed) values ($1, $2, $3, 0)`,
        }
      : {
          name: 'test-minute',
          text: `insert into incident_minutes (incident_id, minute, occurrences) values ($1, $2, $3)`,
        },
    [incidentId ?? null, Math.floor(atMs / (isOld ? 3_600_000 : 60_000)), occurrences],
  );
}

/** An incident as the worker opens it; gives its bare id. */
export async function opened(
  culprit: TestCulprit,
  project: TestProject,
  title: string,
  atMs: number,
): Promise<string> {
  const incidentId = newUuid();
  await culprit.database.query(
    {
      name: 'test-incident',
      text: `insert into incidents (incident_id, number, project_id, service_id, service_name, environment,
          fingerprint_version, fingerprint, fingerprint_kind, title, severity, status, first_seen_at, last_seen_at,
          occurrence_count, status_changed_at, matched_fields, readers, rule, reason_kind, reason_description, reason_event_type,
          reason_matched_policy, newest_received_at)
        select $1, (select count(*) from incidents where project_id = $2) + 1, $2, $1, 'checkout-api', 'production', 'v2', $1::uuid::text::bytea, 'stack', $3, 2, 'open', $4, $4,
          1, $4, '{}', '{}', 'error_message', 'new', '', 'backend_exception', 'exception', $4`,
    },
    [incidentId, parseId(['proj'], project.projectId), title, new Date(atMs)],
  );
  return incidentId;
}
