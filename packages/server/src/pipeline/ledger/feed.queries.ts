import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { LEDGER_DATA } from '../../notify/webhooks/lifecycle-facts.queries.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** The ledger in the order of its transactions. Numbers of transactions are texts, as 64 bits do not fit a number. */

/** A place in the feed: behind this row. */
export interface FeedPosition {
  transactionId: string;
  lifecycleId: number;
}

/** Up to where the feed is complete. */
interface FeedEdge {
  /** The id of the database; the beginning of its mark is enough to distinguish it from another. */
  feedId: string;
  nowMs: number;
  /** Every transaction before this one has ended: no further row can appear among theirs. */
  openTransactionId: string;
  /** Some rows are written that are still behind an open transaction. */
  hasLater: boolean;
}

export async function findFeedEdge(database: Queryable, projectIds: readonly string[]): Promise<FeedEdge> {
  const [row] = await database.query<FeedEdge>(
    sql('feed-edge')`with edge as (select pg_snapshot_xmin(pg_current_snapshot()) as open)
        select left(feed_id::text, 13) as "feedId", culprit_now() as "nowMs", open::text as "openTransactionId",
          exists (select from unnest($1::uuid[]) as p (project_id) join lifecycle_events l using (project_id)
            where l.transaction_id >= edge.open) as "hasLater"
        from edge, lifecycle_feed`,
    [[...projectIds]],
  );
  if (row === undefined) throw new Error('the feed has no mark of its database');
  return row;
}

/** A row of the feed with what its incident or improvement says now. */
export interface FeedRow extends FeedPosition {
  kind: LifecycleKind;
  occurredAtMs: number;
  data: Record<string, unknown>;
  projectId: string;
  isOfIncident: boolean;
  /** Null: the incident or improvement was deleted since. */
  subject: {
    subjectId: string;
    title: string;
    severity: (typeof SEVERITIES)[number];
    status: string;
    environment: string;
    serviceName: string;
    occurrenceCount: number | null;
    isVerification: boolean;
  } | null;
}

/** Rows of the projects behind a place and before the edge, in order. */
export async function findFeedRows(
  database: Queryable,
  page: {
    projectIds: readonly string[];
    after: FeedPosition;
    before: string;
    /** Null: all. */
    kinds: readonly LifecycleKind[] | null;
    limit: number;
  },
): Promise<FeedRow[]> {
  const rows = await database.query<{
    lifecycle_id: number;
    transaction_id: string;
    kind: LifecycleKind;
    occurred_at: number;
    data: Record<string, unknown>;
    project_id: string;
    is_of_incident: boolean;
    subject_id: string | null;
    title: string;
    severity: number;
    status: string;
    environment: string;
    service_name: string;
    occurrence_count: number | null;
    is_verification: boolean;
  }>(ROWS, [
    [...page.projectIds],
    page.after.transactionId,
    page.after.lifecycleId,
    page.before,
    page.kinds === null ? null : [...page.kinds],
    page.limit,
  ]);
  return rows.map((row) => ({
    lifecycleId: row.lifecycle_id,
    transactionId: row.transaction_id,
    kind: row.kind,
    occurredAtMs: row.occurred_at,
    data: row.data,
    projectId: row.project_id,
    isOfIncident: row.is_of_incident,
    subject:
      row.subject_id === null
        ? null
        : {
            subjectId: row.subject_id,
            title: row.title,
            severity: SEVERITIES[row.severity] ?? 'low',
            status: row.status,
            environment: row.environment,
            serviceName: row.service_name,
            occurrenceCount: row.occurrence_count,
            isVerification: row.is_verification,
          },
  }));
}

const ROWS = sql('feed-rows')`
    select l.lifecycle_id, l.transaction_id::text as transaction_id, l.kind, l.occurred_at, ${LEDGER_DATA} as data, l.project_id,
      l.incident_id is not null as is_of_incident, s.*
    from (
      select l.* from unnest($1::uuid[]) as p (project_id) cross join lateral (
        select * from lifecycle_events l
        where l.project_id = p.project_id and (l.transaction_id, l.lifecycle_id) > ($2::text::xid8, $3::bigint)
          and l.transaction_id < $4::text::xid8 and ($5::text[] is null or l.kind = any ($5))
        order by l.transaction_id, l.lifecycle_id limit $6
      ) l
      order by l.transaction_id, l.lifecycle_id limit $6
    ) l
    left join lateral (
      select i.incident_id as subject_id, i.title, i.severity, i.status, i.environment, i.service_name,
        i.occurrence_count, i.is_verification
      from incidents i where i.incident_id = l.incident_id
      union all
      select m.improvement_id, m.title, m.severity, m.status, m.environment, m.service_name, null,
        coalesce((l.data->>'verification')::boolean, false)
      from improvements m where m.improvement_id = l.improvement_id
    ) s on true
    order by l.transaction_id, l.lifecycle_id`;
