import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Occurrences of incidents by time: from the counts of minutes and hours, and before there were hours from events. */

/** Rows of events that are counted for the time before hours were, newest first: a bound on the work of one request. */
const EARLIER_EVENTS_MAX = 500_000;

/** A span in buckets; the bounds are whole buckets. Times in seconds since the epoch. */
export interface BucketSpan {
  fromSeconds: number;
  toSeconds: number;
  bucketSeconds: number;
}

interface BucketCount {
  bucket: number;
  occurrences: number;
  suppressed: number;
}

/** The subject of the occurrences: one incident, or all of a project. */
export interface Subject {
  kind: 'incident' | 'project';
  /** Bare. */
  id: string;
}

/** The buckets of each incident that have any occurrence. */
export async function countByIncident(
  database: Queryable,
  incidentIds: readonly string[],
  span: BucketSpan,
): Promise<(BucketCount & { incidentId: string })[]> {
  if (incidentIds.length === 0) return [];
  return await database.query<BucketCount & { incidentId: string }>(
    sql('occurrences-by-incident')`
        with chosen as (
          select incident_id, hours_from from incidents where incident_id = any ($1::uuid[])
        ), counted as (${COUNTED})
        select incident_id as "incidentId", ${BUCKET} as bucket, sum(occurrences)::bigint as occurrences,
          sum(suppressed)::bigint as suppressed
        from counted group by 1, 2`,
    [[...incidentIds], span.fromSeconds, span.toSeconds, span.bucketSeconds],
  );
}

/** The buckets that have any occurrence. */
export async function countAll(
  database: Queryable,
  subject: Subject,
  span: BucketSpan,
): Promise<BucketCount[]> {
  return await database.query<BucketCount>(ALL[subject.kind], [
    subject.id,
    span.fromSeconds,
    span.toSeconds,
    span.bucketSeconds,
  ]);
}

const SEEN_SINCE = `project_id = $1 and seen_step >= seen_step(to_timestamp($2::bigint))
            and last_seen_at >= to_timestamp($2::bigint)`;

/** The buckets of each service of a project that have any occurrence. */
export async function countByService(
  database: Queryable,
  projectId: string,
  span: BucketSpan,
): Promise<{ serviceId: string; bucket: number; occurrences: number }[]> {
  const rows = await database.query<{ service_id: string; bucket: number; occurrences: number }>(
    sql('occurrences-by-service')`
        with chosen as (
          select incident_id, service_id, hours_from from incidents
          where ${SEEN_SINCE}
        ), counted as (${COUNTED})
        select service_id, ${BUCKET} as bucket, sum(occurrences)::bigint as occurrences
        from counted join chosen using (incident_id) group by 1, 2`,
    [projectId, span.fromSeconds, span.toSeconds, span.bucketSeconds],
  );
  return rows.map(({ service_id: serviceId, bucket, occurrences }) => ({ serviceId, bucket, occurrences }));
}

const BUCKET = '((at - $2::bigint) / $4::bigint)::integer';

/** Counts of the `chosen` incidents between `$2` and `$3`, each with its time in seconds. */
const COUNTED = `
          select h.incident_id, h.hour * 3600::bigint as at, h.occurrences, h.suppressed
          from chosen join incident_hours h using (incident_id)
          where h.hour >= hours_from and h.hour >= $2::bigint / 3600 and h.hour < $3::bigint / 3600
          union all
          select m.incident_id, m.minute * 60::bigint, m.occurrences, m.suppressed
          from chosen join incident_minutes m using (incident_id)
          where m.minute >= hours_from * 60 and m.minute >= $2::bigint / 60 and m.minute < $3::bigint / 60
          union all
          (select e.incident_id, extract(epoch from e.occurred_at)::bigint, 1, 0
          from chosen join events e using (incident_id)
          where hours_from > $2::bigint / 3600 and e.is_counted and e.occurred_at >= to_timestamp($2::bigint)
            and e.occurred_at < least(to_timestamp($3::bigint), to_timestamp(hours_from * 3600::bigint))
          order by e.occurred_at desc limit ${EARLIER_EVENTS_MAX})`;

function allOf(kind: Subject['kind'], condition: string) {
  return {
    name: `occurrences-of-${kind}`,
    text: `
        with chosen as (
          select incident_id, hours_from from incidents where ${condition}
        ), counted as (${COUNTED})
        select ${BUCKET} as bucket, sum(occurrences)::bigint as occurrences, sum(suppressed)::bigint as suppressed
        from counted group by 1`,
  };
}

const ALL = {
  incident: allOf('incident', 'incident_id = $1'),
  project: allOf('project', `${SEEN_SINCE} and sample_id is null`),
};
