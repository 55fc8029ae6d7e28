import type { Queryable, Transaction } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';

/** Decisive matches of one rule. */
export interface RuleHits {
  ruleId: string;
  hits: number;
  /** The time of the last of them. */
  matchedAtMs: number;
}

/**
 * Records matches whose events were kept, in the transaction that counts these; the event intake records the others
 * itself.
 */
export function insertRuleHits(transaction: Transaction, hits: readonly RuleHits[]): void {
  if (hits.length === 0) return;
  transaction.send(
    sql('rule-hits-insert')`insert into capture_rule_hits (rule_id, hits, matched_at)
        select * from unnest($1::uuid[], $2::bigint[], $3::timestamptz[])`,
    [
      hits.map((each) => each.ruleId),
      hits.map((each) => each.hits),
      hits.map((each) => new Date(each.matchedAtMs)),
    ],
  );
}

/**
 * Adds recorded matches to their rules, the oldest first; those of rules that are gone are discarded. Several processes
 * may do so at the same time: each takes records that no other has taken.
 * @returns how many records were taken
 */
export async function countRuleHits(database: Queryable, notesMax: number): Promise<number> {
  const [row] = await database.query<{ taken: number }>(COUNT, [notesMax]);
  return row?.taken ?? 0;
}

const COUNT = sql('rule-hits-count')`
    with taken as (
      delete from capture_rule_hits where hit_id in (
        select hit_id from capture_rule_hits order by hit_id limit $1 for update skip locked)
      returning rule_id, hits, matched_at
    ), sums as (
      select rule_id, sum(hits)::bigint as hits, max(matched_at) as matched_at from taken group by rule_id
    ), held as (
      select r.rule_id, s.hits, s.matched_at
      from capture_rules r join sums s on s.rule_id = r.rule_id order by r.rule_id for update of r
    ), counted as (
      update capture_rules r
      set hit_count = r.hit_count + held.hits, last_matched_at = greatest(r.last_matched_at, held.matched_at)
      from held where r.rule_id = held.rule_id
    )
    select count(*) as taken from taken`;
