import type { Queryable } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';

/**
 * Removes what sign-in needs no more: counters of minutes and hours that are over, and sessions a month after their
 * last possible moment. True when there may be more.
 */
export function forgetSignIns(database: Queryable): Promise<boolean> {
  return removeSome(database, STATEMENTS);
}

const STATEMENTS = [
  {
    name: 'sign-in-rates-forget',
    text: `
      with gone as (
        delete from sign_in_rates where (bucket, client) in (
          select bucket, client from sign_in_rates where started_at < (select culprit_now()) - interval '5 min' limit $1)
          and started_at < (select culprit_now()) - interval '5 min'
        returning 1
      )
      select count(*)::integer as removed from gone`,
  },
  {
    name: 'sign-in-codes-forget',
    text: `
      with gone as (
        delete from sign_in_codes where email in (
          select email from sign_in_codes where touched_at < (select culprit_now()) - interval '1 hour' limit $1)
          and touched_at < (select culprit_now()) - interval '1 hour'
        returning 1
      )
      select count(*)::integer as removed from gone`,
  },
  {
    name: 'sessions-forget',
    text: `
      with gone as (
        delete from sessions where session_id in (
          select session_id from sessions where expires_at < (select culprit_now()) - interval '30 days' limit $1)
        returning 1
      )
      select count(*)::integer as removed from gone`,
  },
];
