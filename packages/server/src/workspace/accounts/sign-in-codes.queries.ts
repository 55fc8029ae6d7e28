import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { CODE_ATTEMPTS_MAX, CODE_LIFETIME_MS } from './mailed-code.ts';

/** Messages to one address (docs/contract/account.md 2.2). */
const COOLDOWN_SECONDS = 30;
const MESSAGES_PER_HOUR = 5;
/** Failed tries for one address (docs/contract/account.md 2.3). */
const FAILURES_PER_HOUR = 20;

/**
 * Replaces the code of an address, unless the address had a message within 30 s or five within the hour: then nothing
 * changes and the answer is false.
 */
export async function replaceCode(
  transaction: Transaction,
  code: { email: string; hash: Buffer; requestedTrialPlan: 'solo' | 'team' | null },
): Promise<boolean> {
  const rows = await transaction.query(REPLACE, [
    code.email,
    code.hash,
    code.requestedTrialPlan,
    CODE_LIFETIME_MS / 1000,
    COOLDOWN_SECONDS,
    MESSAGES_PER_HOUR,
  ]);
  return rows.length > 0;
}

const REPLACE = {
  name: 'sign-in-code-replace',
  text: `
    insert into sign_in_codes as c (email, code_hash, requested_trial_plan, expires_at, sent_at, touched_at)
    select $1, $2, $3, moment + make_interval(secs => $4), array[moment], moment
    from (select culprit_now()::timestamptz(3) as moment) as clock
    on conflict (email) do update set
      code_hash = excluded.code_hash,
      requested_trial_plan = excluded.requested_trial_plan,
      expires_at = excluded.expires_at,
      attempts = 0,
      sent_at = array(select t from unnest(c.sent_at) as t
        where t > excluded.touched_at - interval '1 hour' order by t) || excluded.touched_at,
      touched_at = excluded.touched_at
    where not exists (select from unnest(c.sent_at) as t
        where t > excluded.touched_at - make_interval(secs => $5))
      and (select count(*) from unnest(c.sent_at) as t where t > excluded.touched_at - interval '1 hour') < $6
    returning email`,
};

/** A try that was counted. */
export interface CodeAttempt {
  /** Of the code the try is to be compared with; null when no code of the address can be used any more. */
  liveHash: Buffer | null;
  /** When it was counted as a failure; a success takes exactly that back. Milliseconds since the epoch. */
  countedAtMs: number;
}

/**
 * Counts a try for an address, before anything is compared (docs/contract/reliability.md A11): against its code, and
 * as a failure of the hour. Null when the hour's failures are used up.
 */
export async function countAttempt(database: Queryable, email: string): Promise<CodeAttempt | null> {
  const [row] = await database.query<{ live_hash: Buffer | null; touched_at: number }>(COUNT_ATTEMPT, [
    email,
    FAILURES_PER_HOUR,
    CODE_ATTEMPTS_MAX,
  ]);
  return row === undefined ? null : { liveHash: row.live_hash, countedAtMs: row.touched_at };
}

const COUNT_ATTEMPT = {
  name: 'sign-in-code-attempt',
  text: `
    insert into sign_in_codes as c (email, failed_at, touched_at)
    select $1, array[moment], moment from (select culprit_now()::timestamptz(3) as moment) as clock
    on conflict (email) do update set
      attempts = c.attempts + 1,
      failed_at = array(select t from unnest(c.failed_at) as t
        where t > excluded.touched_at - interval '1 hour' order by t) || excluded.touched_at,
      touched_at = excluded.touched_at
    where (select count(*) from unnest(c.failed_at) as t
      where t > excluded.touched_at - interval '1 hour') < $2
    returning touched_at, case when attempts <= $3 and expires_at > culprit_now() then code_hash end as live_hash`,
};

/**
 * Uses up the code with this hash and takes its try off the failures again; null when somebody else used or replaced
 * it, or its time is over.
 */
export async function consumeCode(
  transaction: Transaction,
  email: string,
  hash: Buffer,
  countedAtMs: number,
): Promise<{ requestedTrialPlan: 'solo' | 'team' | null } | null> {
  const [row] = await transaction.query<{ requested_trial_plan: 'solo' | 'team' | null }>(
    {
      name: 'sign-in-code-consume',
      text: `
        update sign_in_codes set code_hash = null, expires_at = null,
          failed_at = failed_at[:coalesce(array_position(failed_at, $3::timestamptz), 0) - 1]
            || failed_at[coalesce(array_position(failed_at, $3::timestamptz), 0) + 1:]
        where email = $1 and code_hash = $2 and expires_at > culprit_now()
        returning requested_trial_plan`,
    },
    [email, hash, new Date(countedAtMs)],
  );
  return row === undefined ? null : { requestedTrialPlan: row.requested_trial_plan };
}
