import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Parts of foreign requests that came since the last time, of one project, protocol and kind. */
export interface KindSum {
  project_id: string;
  protocol: ForeignProtocolName;
  kind: string;
  taken: number;
  not_taken: number;
  over_limit: number;
}

export type ForeignProtocolName = 'sentry' | 'otlp' | 'report';

/** Adds sums to those of the hour; projects that were deleted are left out. */
export async function addKindSums(database: Queryable, sums: readonly KindSum[]): Promise<void> {
  await database.query(
    sql('foreign-kinds-add')`
        with input as (
          select * from json_to_recordset($1::json) as k (project_id uuid, protocol text, kind text, taken bigint,
            not_taken bigint, over_limit bigint)
        ), live as (
          select project_id from projects
          where project_id in (select project_id from input) and deleted_at is null
          order by project_id for key share
        )
        insert into foreign_kinds as f (project_id, hour, protocol, kind, taken, not_taken, over_limit, last_at)
        select project_id, date_trunc('hour', culprit_now(), 'UTC'), protocol, kind, taken, not_taken, over_limit,
          culprit_now()
        from input join live using (project_id)
        order by project_id, protocol, kind
        on conflict (project_id, hour, protocol, kind) do update set taken = f.taken + excluded.taken,
          not_taken = f.not_taken + excluded.not_taken, over_limit = f.over_limit + excluded.over_limit,
          last_at = greatest(f.last_at, excluded.last_at)`,
    [JSON.stringify(sums)],
  );
}

/** The kinds of a project from one hour to another, those with the most parts first. */
export async function sumKinds(
  database: Queryable,
  projectId: string,
  { fromMs, toMs, rowsMax }: { fromMs: number; toMs: number; rowsMax: number },
): Promise<(Omit<KindSum, 'project_id'> & { last_at: number })[]> {
  return await database.query(
    sql(
      'foreign-kinds-sum',
    )`select protocol, kind, sum(taken)::bigint as taken, sum(not_taken)::bigint as not_taken,
          sum(over_limit)::bigint as over_limit, max(last_at) as last_at
        from foreign_kinds where project_id = $1 and hour >= $2 and hour < $3
        group by protocol, kind
        order by sum(taken + not_taken + over_limit) desc, protocol, kind limit $4`,
    [projectId, new Date(fromMs), new Date(toMs), rowsMax],
  );
}
