import { MARKERS_MAX, type OccurrenceMarker } from '@culprit/contract/incidents/occurrences';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { BucketSpan, Subject } from './occurrence-counts.queries.ts';

/** Returns the events of a time span: deploys, spikes and changes of state, oldest first. */
export async function findMarkers(
  database: Queryable,
  subject: Subject,
  { fromSeconds, toSeconds }: BucketSpan,
): Promise<OccurrenceMarker[]> {
  const rows = await database.query<{
    at: number;
    kind: OccurrenceMarker['kind'];
    until: number | null;
    deployment_id: string | null;
    label: string | null;
  }>(MARKERS[subject.kind], [subject.id, fromSeconds, toSeconds]);
  return rows.reverse().map((row) => ({
    at: new Date(row.at).toISOString(),
    kind: row.kind,
    until: row.until === null ? null : new Date(row.until).toISOString(),
    deployment_id: row.deployment_id,
    label: row.label,
  }));
}

const WITHIN = (column: string) =>
  `${column} >= to_timestamp($2::bigint) and ${column} < to_timestamp($3::bigint)`;

const VERSION = `coalesce(d.version, left(d.commit_sha, 12))`;

/** Columns of a row of the ledger about an incident; only of its newest spike the end is known. */
function told(label: string): string {
  return `l.occurred_at as at,
        case l.kind when 'incident.spike_detected' then 'spike' else substr(l.kind, 10) end as kind,
        case when l.kind = 'incident.spike_detected' and (l.data ->> 'spike_detected_at')::timestamptz = i.spike_detected_at
          then greatest(i.spike_last_true_at, l.occurred_at) end as until,
        (select d.deployment_id from deployments d
          where d.project_id = i.project_id and d.service_name = i.service_name and d.environment = i.environment
            and d.deployed_at = (l.data ->> 'deploy_deployed_at')::timestamptz
            and d.version is not distinct from l.data ->> 'deploy_version' limit 1) as deployment_id,
        ${label} as label`;
}

function newest(rows: string, order: string): string {
  return `(${rows} and ${WITHIN(order)} order by ${order} desc limit ${MARKERS_MAX})`;
}

const MARKERS = {
  incident: sql('occurrence-markers-incident')`
      select * from (
        ${newest(
          `select d.deployed_at as at, 'deploy' as kind, null::timestamptz as until, d.deployment_id, ${VERSION} as label
          from incidents i join deployments d on d.project_id = i.project_id and d.service_name = i.service_name
            and d.environment = i.environment
          where i.incident_id = $1`,
          'd.deployed_at',
        )}
        union all
        ${newest(
          `select ${told(`l.data ->> 'deploy_version'`)}
          from lifecycle_events l join incidents i using (incident_id)
          where l.incident_id = $1 and l.kind in ('incident.spike_detected', 'incident.resolved', 'incident.reopened',
            'incident.regressed')`,
          'l.occurred_at',
        )}
      ) markers order by at desc limit ${MARKERS_MAX}`,
  // Without what was reopened by hand, for which no index is kept.
  project: sql('occurrence-markers-project')`
      select * from (
        ${newest(
          `select d.deployed_at as at, 'deploy' as kind, null::timestamptz as until, d.deployment_id,
            concat_ws(' ', d.service_name, ${VERSION}) as label
          from deployments d where d.project_id = $1`,
          'd.deployed_at',
        )}
        ${['incident.spike_detected', 'incident.resolved', 'incident.regressed']
          .map(
            (kind) => `union all
        ${newest(
          `select ${told('i.title')}
          from lifecycle_events l join incidents i using (incident_id)
          where l.project_id = $1 and l.kind = '${kind}'`,
          'l.occurred_at',
        )}`,
          )
          .join('\n        ')}
      ) markers order by at desc limit ${MARKERS_MAX}`,
} satisfies Record<Subject['kind'], { name: string; text: string }>;
