import { CODE_ATTEMPTS_MAX, CODE_LIFETIME_MS } from '../accounts/mailed-code.ts';
import type { Queryable } from '../platform/db/database.ts';

/** Messages to one person, as for sign-in (account.md 2.2, 5). */
const COOLDOWN_SECONDS = 30;
const MESSAGES_PER_HOUR = 5;

/**
 * Replaces the code with which a person may delete their account, unless they had a message within 30 s or five within
 * the hour: then nothing changes and the answer is false.
 */
export async function replaceDeletionCode(
  transaction: Queryable,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const rows = await transaction.query(REPLACE, [
    userId,
    hash,
    CODE_LIFETIME_MS / 1000,
    COOLDOWN_SECONDS,
    MESSAGES_PER_HOUR,
  ]);
  return rows.length > 0;
}

const REPLACE = {
  name: 'deletion-code-replace',
  text: `
    insert into account_deletion_codes as c (user_id, code_hash, expires_at, sent_at)
    select $1, $2, moment + make_interval(secs => $3), array[moment]
    from (select culprit_now()::timestamptz(3) as moment) as clock
    on conflict (user_id) do update set
      code_hash = excluded.code_hash,
      expires_at = excluded.expires_at,
      attempts = 0,
      sent_at = array(select t from unnest(c.sent_at) as t
        where t > excluded.sent_at[1] - interval '1 hour' order by t) || excluded.sent_at
    where not exists (select from unnest(c.sent_at) as t
        where t > excluded.sent_at[1] - make_interval(secs => $4))
      and (select count(*) from unnest(c.sent_at) as t where t > excluded.sent_at[1] - interval '1 hour') < $5
    returning user_id`,
};

/**
 * Counts a try against a person's code, before anything is compared (reliability rule A11); the hash to compare with,
 * null when there is no code that could still be used.
 */
export async function countDeletionAttempt(database: Queryable, userId: string): Promise<Buffer | null> {
  const [row] = await database.query<{ code_hash: Buffer }>(
    {
      name: 'deletion-code-attempt',
      text: `update account_deletion_codes set attempts = attempts + 1
        where user_id = $1 and attempts < $2 and expires_at > culprit_now() and code_hash is not null
        returning code_hash`,
    },
    [userId, CODE_ATTEMPTS_MAX],
  );
  return row?.code_hash ?? null;
}

/** Uses up the code with this hash; false when it was used or replaced meanwhile, or its time is over. */
export async function consumeDeletionCode(
  transaction: Queryable,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'deletion-code-consume',
      text: `update account_deletion_codes set code_hash = null
        where user_id = $1 and code_hash = $2 and expires_at > culprit_now() returning user_id`,
    },
    [userId, hash],
  );
  return rows.length > 0;
}
