import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { prefixedId } from '../../platform/ids.ts';
import { COUNT_MAX, INCIDENTS_MAX, type WeeklyActivity } from './weekly-activity.ts';

/** The project and window of a report. Times are milliseconds since the epoch. */
interface ActivityWindow {
  /** Bare UUID. */
  projectId: string;
  fromMs: number;
  toMs: number;
}

/** The condition in the words of the ledger's partial index, so that it can be used. */
const COUNTED = `l.kind in ('incident.opened', 'incident.resolved', 'incident.regressed', 'incident.spike_detected',
  'bundle.created', 'improvement_bundle.created')`;

/** The ledger row is not about sample data. */
const NO_SAMPLE = `not exists (select from incidents i where i.project_id = l.project_id
  and i.incident_id = l.incident_id and i.sample_id is not null)`;

const ASKED = `json_to_recordset($1::json) as a (n integer, project_id uuid, before_at timestamptz, from_at timestamptz,
  to_at timestamptz)`;

const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Returns the activity in each window, in their order. Each count of the ledger reads at most `COUNT_MAX + 1` rows of
 * its project.
 */
export async function readActivities(
  database: Queryable,
  windows: readonly ActivityWindow[],
): Promise<WeeklyActivity[]> {
  const asked = JSON.stringify(
    windows.map(({ projectId, fromMs, toMs }, n) => ({
      n,
      project_id: projectId,
      before_at: new Date(fromMs - WEEK_MS).toISOString(),
      from_at: new Date(fromMs).toISOString(),
      to_at: new Date(toMs).toISOString(),
    })),
  );
  const counts = await database.query<{
    opened: number;
    resolved: number;
    regressed: number;
    opened_before: number;
    resolved_before: number;
    regressed_before: number;
    failure_bundles: number;
    improvement_bundles: number;
  }>(COUNTS, [asked]);
  const events = await database.query<{ n: number; events: number; events_before: number }>(EVENTS, [asked]);
  const listed = await database.query<{
    n: number;
    incident_id: string;
    title: string;
    service_name: string;
    environment: string;
    is_spike: boolean;
    ratio: number | null;
    events: number;
  }>(INCIDENTS, [asked]);
  return counts.map((row, n) => {
    const sums = events.find((each) => each.n === n);
    return {
      events: sums?.events ?? 0,
      opened: row.opened,
      resolved: row.resolved,
      regressed: row.regressed,
      before: {
        events: sums?.events_before ?? 0,
        opened: row.opened_before,
        resolved: row.resolved_before,
        regressed: row.regressed_before,
      },
      failureBundles: row.failure_bundles,
      improvementBundles: row.improvement_bundles,
      incidents: listed
        .filter((incident) => incident.n === n)
        .map((incident) => ({
          incidentId: prefixedId('inc', incident.incident_id),
          title: incident.title,
          service: incident.service_name,
          environment: incident.environment,
          spike: incident.is_spike ? { ratio: incident.ratio } : null,
          events: incident.events,
        })),
    };
  });
}

const COUNTS = sql(
  'report-counts',
)`select ${count('incident.opened')} as opened, ${count('incident.resolved')} as resolved,
      ${count('incident.regressed')} as regressed, ${countBefore('incident.opened')} as opened_before,
      ${countBefore('incident.resolved')} as resolved_before,
      ${countBefore('incident.regressed')} as regressed_before, ${count('bundle.created')} as failure_bundles,
      ${count('improvement_bundle.created')} as improvement_bundles
    from ${ASKED} order by a.n`;

/** Occurrences of the incidents of each window since the week before, by incident, in whole minutes. */
const OCCURRENCES = `
      select a.n, i.incident_id, o.occurrences, o.is_now
      from ${ASKED}
      join incidents i on i.project_id = a.project_id and i.seen_step >= seen_step(a.before_at)
        and i.last_seen_at >= a.before_at and i.sample_id is null
      cross join lateral (
        select h.occurrences, h.hour >= extract(epoch from a.from_at) / 3600 as is_now from incident_hours h
        where h.incident_id = i.incident_id and h.hour >= floor(extract(epoch from a.before_at) / 3600)
          and h.hour < extract(epoch from a.to_at) / 3600
        union all
        select m.occurrences, m.minute >= extract(epoch from a.from_at) / 60 from incident_minutes m
        where m.incident_id = i.incident_id and m.minute >= floor(extract(epoch from a.before_at) / 60)
          and m.minute < extract(epoch from a.to_at) / 60
      ) o`;

const EVENTS = sql(
  'report-events',
)`select n, coalesce(sum(occurrences) filter (where is_now), 0)::bigint as events,
      coalesce(sum(occurrences) filter (where not is_now), 0)::bigint as events_before
    from (${OCCURRENCES}) o group by n`;

/**
 * Counts one more than the limit that is shown, so that the report shows when there are more. An incident to which the
 * same happened twice counts twice.
 */
function count(kind: string, from = 'a.from_at', to = 'a.to_at'): string {
  return `(select count(*) from (
      select from lifecycle_events l
      where l.project_id = a.project_id and l.kind = '${kind}' and ${COUNTED} and ${NO_SAMPLE}
        and l.occurred_at >= ${from} and l.occurred_at < ${to}
      limit ${COUNT_MAX + 1}) counted)`;
}

function countBefore(kind: string): string {
  return count(kind, 'a.before_at', 'a.from_at');
}

const INCIDENTS = sql('report-incidents')`with spiked as (
      select a.n, s.incident_id, s.ratio
      from ${ASKED}
      cross join lateral (
        select incident_id, max(ratio) as ratio from (
          select l.incident_id, (l.data ->> 'ratio')::float8 as ratio from lifecycle_events l
          where l.project_id = a.project_id and l.kind = 'incident.spike_detected' and ${COUNTED} and ${NO_SAMPLE}
            and l.occurred_at >= a.from_at and l.occurred_at < a.to_at
          order by l.occurred_at desc limit ${COUNT_MAX}) spiked
        group by incident_id order by max(ratio) desc nulls last, incident_id limit ${INCIDENTS_MAX}
      ) s
    ), counted as (
      select n, incident_id, sum(occurrences)::bigint as events from (${OCCURRENCES}) o where is_now group by 1, 2
    ), ranked as (
      select n, incident_id, s.n is not null as is_spike, s.ratio,
        coalesce(c.events, 0) as events,
        row_number() over (
          partition by n order by s.n is null, s.ratio desc nulls last, c.events desc nulls last, incident_id
        ) as place
      from spiked s full join counted c using (n, incident_id)
    )
    select r.n, r.incident_id, i.title, i.service_name, i.environment, r.is_spike, r.ratio, r.events
    from ranked r
    join ${ASKED} on a.n = r.n
    join incidents i on i.incident_id = r.incident_id and i.project_id = a.project_id
    where r.place <= ${INCIDENTS_MAX}
    order by r.n, r.place`;
