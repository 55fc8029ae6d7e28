import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { LEDGER_CHANNEL } from '../ledger/ledger-change.ts';

/** Events of one token that were rejected for one reason. */
interface Rejections {
  token_id: string;
  /** The name of the token; null for one that was deleted. */
  label: string | null;
  /** Empty for reasons that were counted together. */
  reason: string;
  events: number;
  last_at: number;
}

/** The reasons of a project from one hour to another, the latest first. */
export async function sumRejections(
  database: Queryable,
  projectId: string,
  { fromMs, toMs, rowsMax }: { fromMs: number; toMs: number; rowsMax: number },
): Promise<Rejections[]> {
  return await database.query<Rejections>(
    sql('rejections-sum')`with sums as (
          select token_id, reason, sum(events)::bigint as events, max(last_at) as last_at
          from rejections where project_id = $1 and hour >= $2 and hour < $3
          group by token_id, reason
          order by max(last_at) desc, token_id, reason limit $4
        )
        select s.token_id, t.label, s.reason, s.events, s.last_at
        from sums s left join project_tokens t on t.token_id = s.token_id and t.project_id = $1
        order by s.last_at desc, s.token_id, s.reason`,
    [projectId, new Date(fromMs), new Date(toMs), rowsMax],
  );
}

/** Notifies the followers of the ledger; without an entry, so nothing is enqueued. */
export const notifyOfRejections = statement.run<[projectIds: readonly string[]]>(
  'rejections-notify',
  `select pg_notify('${LEDGER_CHANNEL}', json_build_object(
      'project_id', project_id, 'kinds', '[]'::json, 'incident_ids', '[]'::json, 'has_rejections', true)::text)
    from unnest($1::uuid[]) as rejected (project_id)`,
);
