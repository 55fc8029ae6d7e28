import { NO_RULE } from '../../capture/no-rule.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** The events of one outcome in a bucket of time, of a token, or by a rule. */
export interface FateSum {
  of: 'bucket' | 'token' | 'rule';
  /** The start of a bucket. */
  at: number | null;
  /** The id of the token or the rule. */
  id: string | null;
  /** The name that people gave it. */
  label: string | null;
  fate: string;
  events: number;
}

/** Returns the outcomes of a project's events that were received from one hour to another, summed in three ways. */
export async function sumFates(
  database: Queryable,
  projectId: string,
  window: { fromMs: number; toMs: number; bucket: 'hour' | 'day' },
): Promise<FateSum[]> {
  return await database.query<FateSum>(SUM, [
    projectId,
    new Date(window.fromMs),
    new Date(window.toMs),
    window.bucket,
    NO_RULE,
  ]);
}

const SUM = sql('fates-sum')`
    with sums as (
      select date_trunc($4, hour, 'UTC') as at, token_id, rule_id, fate, sum(events)::bigint as events,
        grouping(date_trunc($4, hour, 'UTC')) as no_time, grouping(token_id) as no_token
      from event_fates
      where project_id = $1 and hour >= $2 and hour < $3
      group by grouping sets ((date_trunc($4, hour, 'UTC'), fate), (token_id, fate), (rule_id, fate))
    )
    select 'bucket' as of, at, null::uuid as id, null as label, fate, events from sums where no_time = 0
    union all
    select 'token', null, s.token_id, t.label, s.fate, s.events
    from sums s left join project_tokens t on t.token_id = s.token_id and t.project_id = $1
    where s.no_token = 0
    union all
    select 'rule', null, s.rule_id, r.name, s.fate, s.events
    from sums s left join capture_rules r on r.rule_id = s.rule_id and r.project_id = $1
    where s.no_time = 1 and s.no_token = 1 and s.rule_id <> $5`;
