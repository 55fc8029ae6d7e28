import type { Queryable } from '../../platform/db/database.ts';
import { prefixedId } from '../../platform/ids.ts';
import { COUNT_MAX, SPIKES_MAX, type WeeklyActivity } from './weekly-activity.ts';

/** What is asked of a project: the window of its report. Times are milliseconds since the epoch. */
export interface ActivityWindow {
  /** Bare UUID. */
  projectId: string;
  fromMs: number;
  toMs: number;
}

/** As the partial index of the ledger says it, so that it can be used. */
const COUNTED = `l.kind in ('incident.opened', 'incident.resolved', 'incident.regressed', 'incident.spike_detected',
  'bundle.created', 'improvement_bundle.created')`;

const ASKED = `json_to_recordset($1::json) as a (n integer, project_id uuid, from_at timestamptz, to_at timestamptz)`;

/** What happened in each window, in their order. Each count reads at most so many rows of its own project. */
export async function readActivities(
  database: Queryable,
  windows: readonly ActivityWindow[],
): Promise<WeeklyActivity[]> {
  const asked = JSON.stringify(
    windows.map(({ projectId, fromMs, toMs }, n) => ({
      n,
      project_id: projectId,
      from_at: new Date(fromMs).toISOString(),
      to_at: new Date(toMs).toISOString(),
    })),
  );
  const counts = await database.query<{
    opened: number;
    resolved: number;
    regressed: number;
    failure_bundles: number;
    improvement_bundles: number;
  }>(COUNTS, [asked]);
  const spikes = await database.query<{
    n: number;
    incident_id: string;
    title: string;
    service_name: string;
    environment: string;
    ratio: number | null;
  }>(SPIKES, [asked]);
  return counts.map((row, n) => ({
    failureBundles: row.failure_bundles,
    improvementBundles: row.improvement_bundles,
    opened: row.opened,
    resolved: row.resolved,
    regressed: row.regressed,
    spikes: spikes
      .filter((spike) => spike.n === n)
      .map((spike) => ({
        incidentId: prefixedId('inc', spike.incident_id),
        title: spike.title,
        service: spike.service_name,
        environment: spike.environment,
        ratio: spike.ratio,
      })),
  }));
}

const COUNTS = {
  name: 'report-counts',
  text: `select ${count('incident.opened')} as opened, ${count('incident.resolved')} as resolved,
      ${count('incident.regressed')} as regressed, ${count('bundle.created')} as failure_bundles,
      ${count('improvement_bundle.created')} as improvement_bundles
    from ${ASKED} order by a.n`,
};

/** One more than is told, so that it shows when there are more. What happened to an incident twice counts twice. */
function count(kind: string): string {
  return `(select count(*) from (
      select from lifecycle_events l
      where l.project_id = a.project_id and l.kind = '${kind}' and ${COUNTED}
        and l.occurred_at >= a.from_at and l.occurred_at < a.to_at
      limit ${COUNT_MAX + 1}) counted)`;
}

const SPIKES = {
  name: 'report-spikes',
  text: `select a.n, s.incident_id, i.title, i.service_name, i.environment, s.ratio
    from ${ASKED}
    cross join lateral (
      select incident_id, max(ratio) as ratio from (
        select l.incident_id, (l.data ->> 'ratio')::float8 as ratio from lifecycle_events l
        where l.project_id = a.project_id and l.kind = 'incident.spike_detected' and ${COUNTED}
          and l.occurred_at >= a.from_at and l.occurred_at < a.to_at
        order by l.occurred_at desc limit ${COUNT_MAX}) spiked
      group by incident_id order by max(ratio) desc nulls last, incident_id limit ${SPIKES_MAX}
    ) s
    join incidents i on i.incident_id = s.incident_id and i.project_id = a.project_id
    order by a.n, s.ratio desc nulls last, s.incident_id`,
};
