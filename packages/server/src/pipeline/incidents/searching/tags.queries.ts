import { EVERY_EVENT_TAG } from '@culprit/evidence/incidents/event-tags';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql, statement } from '../../../platform/db/statement.ts';

/** Statements that read tags. */

export interface TagRow {
  key: string;
  value: string;
  count: number;
}

/** The tags of an incident, each key's values by count. */
export const readIncidentTags = statement.many<[incidentId: string], TagRow>(
  'incident-tags-read',
  `select key::text, value::text, count from incident_tags where incident_id = $1
    order by key, count desc, value`,
);

/** Days whose signals are what is usual. */
const SINCE = `((select culprit_now()) at time zone 'UTC')::date - 6`;

/** Returns how many signals of a project have these values in the last 7 days, and how many there were. */
export async function readUsualTags(
  database: Queryable,
  projectId: string,
  values: readonly TagRow[],
): Promise<{ total: number; counts: number[] }> {
  const rows = await database.query<{ n: number; count: number }>(
    sql('project-tags-usual')`select g.n::integer as n, (
          select coalesce(sum(p.count), 0)::bigint from project_tags p
          where p.project_id = $1 and p.day >= ${SINCE} and p.key = g.key and (p.value = g.value or g.value is null)
        ) as count
        from unnest($2::text[], $3::text[]) with ordinality as g (key, value, n)`,
    [
      projectId,
      [EVERY_EVENT_TAG, ...values.map(({ key }) => key)],
      [null, ...values.map(({ value }) => value)],
    ],
  );
  const counts = new Map(rows.map(({ n, count }) => [n, count]));
  return { total: counts.get(1) ?? 0, counts: values.map((_, n) => counts.get(n + 2) ?? 0) };
}

interface TagValueRow {
  value: string;
  count: number;
  first_seen_at: number;
  last_seen_at: number;
}

/** A page of the values of a tag, by count. */
export async function listTagValues(
  database: Queryable,
  incidentId: string,
  key: string,
  page: { after: { count: number; value: string } | null; limit: number },
): Promise<{ rows: TagValueRow[]; total: number }> {
  const rows = await database.query<TagValueRow>(
    sql('incident-tag-values')`select value::text, count, first_seen_at, last_seen_at from incident_tags
        where incident_id = $1 and key = $2 and ($3::bigint is null or (-count, value) > (-$3, $4::text))
        order by -count, value limit $5`,
    [incidentId, key, page.after?.count ?? null, page.after?.value ?? null, page.limit],
  );
  const [total] = await database.query<{ total: number }>(
    sql('incident-tags-total')`select coalesce(sum(count), 0)::bigint as total from incident_tags
        where incident_id = $1 and key = '${EVERY_EVENT_TAG}'`,
    [incidentId],
  );
  return { rows, total: total?.total ?? 0 };
}

/** Tags of projects in the last 7 days, by key, each with its most frequent values. */
export async function listTagKeys(
  database: Queryable,
  projectIds: readonly string[],
  prefix: string,
  limits: { keys: number; values: number },
): Promise<{ key: string; events: number; values: string[] }[]> {
  return await database.query<{ key: string; events: number; values: string[] }>(
    sql('project-tags-keys')`with counted as (
          select key, value, sum(count) as count from project_tags
          where project_id = any ($1::uuid[]) and day >= ${SINCE} and starts_with(key, $2) group by key, value
        ), ranked as (
          select *, row_number() over (partition by key order by count desc, value) as place from counted
        )
        select key::text, sum(count)::bigint as events,
          coalesce(array_agg(value::text order by place) filter (where place <= $4), '{}') as values
        from ranked group by key order by sum(count) desc, key limit $3`,
    [[...projectIds], prefix, limits.keys, limits.values],
  );
}

/** Values of a tag of projects that begin so, the most frequent first. */
export const findTagValues = statement.many<
  [projectIds: readonly string[], key: string, prefix: string, limit: number],
  { value: string },
  string
>(
  'project-tags-find',
  `select value::text from project_tags
    where project_id = any ($1::uuid[]) and day >= ${SINCE} and key = $2 and starts_with(lower(value), lower($3))
    group by value order by sum(count) desc, value limit $4`,
  (row) => row.value,
);

/** Names of services of projects that begin so. */
export const findServiceNames = statement.many<
  [projectIds: readonly string[], prefix: string, limit: number],
  { name: string },
  string
>(
  'query-services',
  `select name from services
    where project_id = any ($1::uuid[]) and starts_with(lower(name), lower($2))
    group by name order by max(last_seen_at) desc, name limit $3`,
  (row) => row.name,
);

/** Environments of projects that begin so. */
export const findEnvironments = statement.many<
  [projectIds: readonly string[], prefix: string, limit: number],
  { environment: string },
  string
>(
  'query-environments',
  `select environment from services
    where project_id = any ($1::uuid[]) and starts_with(lower(environment), lower($2))
    group by environment order by max(last_seen_at) desc, environment limit $3`,
  (row) => row.environment,
);
