import type { Queryable } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';

/**
 * Removes invites 30 days after they were accepted, canceled or ran out (incidents.md 8), and codes for the deletion of
 * accounts once neither they nor the times of their messages count any more. True when there may be more.
 */
export function forgetInvites(database: Queryable): Promise<boolean> {
  return removeSome(database, STATEMENTS);
}

const STATEMENTS = [
  {
    name: 'invites-forget',
    text: `
      with gone as (
        delete from project_invites where invite_id in (
          select invite_id from project_invites
          where coalesce(accepted_at, canceled_at, expires_at) < (select culprit_now()) - interval '30 days' limit $1)
        returning 1
      )
      select count(*)::integer as removed from gone`,
  },
  {
    name: 'deletion-codes-forget',
    text: `
      with gone as (
        delete from account_deletion_codes where user_id in (
          select user_id from account_deletion_codes where expires_at < (select culprit_now()) - interval '1 hour' limit $1)
          and expires_at < (select culprit_now()) - interval '1 hour'
        returning 1
      )
      select count(*)::integer as removed from gone`,
  },
];
