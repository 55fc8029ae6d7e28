import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { CODE_ATTEMPTS_MAX, CODE_LIFETIME_MS } from './mailed-code.ts';
import { KNOWN_BROWSER_SECONDS, type SignInBrowser } from './sign-in-browser.ts';

/** Messages to one address that one client or one known browser asks for (docs/contract/account.md 2.2). */
const COOLDOWN_SECONDS = 30;
const MESSAGES_PER_HOUR = 5;
/** Messages to one address that all browsers ask for with which it never signed in. */
const UNKNOWN_PER_HOUR = 20;
const UNKNOWN_PER_DAY = 60;
/** Failed tries of one browser for one address (docs/contract/account.md 2.3). */
const FAILURES_PER_HOUR = 20;
/** Browsers with which an address signed in, the last ones. */
const KNOWN_BROWSERS_MAX = 20;

/** A row without a sign-in counts for nothing after an hour. */
const KEPT = `culprit_now() + interval '1 hour'`;

/**
 * Replaces the code that a browser asked for, and counts its message. When the messages are used up, nothing changes
 * and the answer is false. A browser with which the address signed in has separate messages, so that strangers
 * cannot use up the owner's.
 */
export async function replaceCode(
  transaction: Transaction,
  code: {
    email: string;
    browser: Pick<SignInBrowser, 'hash'>;
    clientHash: Buffer;
    hash: Buffer;
    requestedTrialPlan: 'solo' | 'team' | null;
  },
): Promise<boolean> {
  const { email, browser, clientHash } = code;
  await transaction.query(
    sql('sign-in-mail-lock')`select pg_advisory_xact_lock(hashtextextended('sign-in-mail:' || $1, 0))`,
    [email],
  );
  const [mail] = await transaction.query<{ is_known: boolean; may_be_sent: boolean }>(JUDGE_MAIL, [
    email,
    browser.hash,
    clientHash,
    COOLDOWN_SECONDS,
    MESSAGES_PER_HOUR,
    UNKNOWN_PER_HOUR,
    UNKNOWN_PER_DAY,
    KNOWN_BROWSER_SECONDS,
  ]);
  if (mail === undefined || !mail.may_be_sent) return false;
  await transaction.query(REPLACE, [
    email,
    browser.hash,
    code.hash,
    code.requestedTrialPlan,
    CODE_LIFETIME_MS / 1000,
    clientHash,
    mail.is_known,
  ]);
  return true;
}

const JUDGE_MAIL = sql('sign-in-mail-judge')`
    select is_known, case when is_known then of_browser < $5 and not is_browser_early
      else of_client < $5 and not is_client_early and of_hour < $6 and of_day < $7 end as may_be_sent
    from (select exists (select from sign_in_codes where email = $1 and browser_hash = $2
        and signed_in_at > culprit_now() - make_interval(secs => $8)) as is_known) as known,
      (select
          count(*) filter (where is_known and browser_hash = $2 and is_new) as of_browser,
          count(*) filter (where not is_known and client_hash = $3 and is_new) as of_client,
          count(*) filter (where not is_known and is_new) as of_hour,
          count(*) filter (where not is_known) as of_day,
          coalesce(bool_or(is_known and browser_hash = $2 and is_early), false) as is_browser_early,
          coalesce(bool_or(not is_known and client_hash = $3 and is_early), false) as is_client_early
        from (select browser_hash, client_hash, is_known, sent_at > moment - interval '1 hour' as is_new,
            sent_at > moment - make_interval(secs => $4) as is_early
          from sign_in_mails, (select culprit_now()::timestamptz(3) as moment) as clock
          where email = $1 and sent_at > moment - interval '1 day') as mails) as counts`;

const REPLACE = sql('sign-in-code-replace')`
    with mail as (
      insert into sign_in_mails (email, sent_at, browser_hash, client_hash, is_known)
      values ($1, culprit_now(), $2, $6, $7)
    )
    insert into sign_in_codes as c
      (email, browser_hash, code_hash, requested_trial_plan, expires_at, kept_until)
    values ($1, $2, $3, $4, culprit_now()::timestamptz(3) + make_interval(secs => $5), ${KEPT})
    on conflict (email, browser_hash) do update set
      code_hash = excluded.code_hash,
      requested_trial_plan = excluded.requested_trial_plan,
      expires_at = excluded.expires_at,
      attempts = 0,
      kept_until = greatest(c.kept_until, excluded.kept_until)`;

/** A try that was counted. */
interface CodeAttempt {
  /** The hash of the code to compare the try with; null when no code of browser and address can be used. */
  liveHash: Buffer | null;
  /**
   * The time at which it was counted as a failure; a success removes exactly that one. Milliseconds since the epoch.
   */
  countedAtMs: number;
}

/**
 * Counts a try of a browser for an address, before anything is compared (docs/contract/reliability.md A11): against its
 * code, and as a failure of the hour. Null when the browser asked for no code, or the hour's failures are used up.
 */
export async function countAttempt(
  database: Queryable,
  email: string,
  browserHash: Buffer,
): Promise<CodeAttempt | null> {
  const [row] = await database.query<{ live_hash: Buffer | null; counted_at: number }>(COUNT_ATTEMPT, [
    email,
    browserHash,
    FAILURES_PER_HOUR,
    CODE_ATTEMPTS_MAX,
  ]);
  return row === undefined ? null : { liveHash: row.live_hash, countedAtMs: row.counted_at };
}

const COUNT_ATTEMPT = sql('sign-in-code-attempt')`
    update sign_in_codes as c set
      attempts = c.attempts + 1,
      failed_at = array(select t from unnest(c.failed_at) as t
        where t > moment - interval '1 hour' order by t) || moment,
      kept_until = greatest(c.kept_until, moment + interval '1 hour')
    from (select culprit_now()::timestamptz(3) as moment) as clock
    where email = $1 and browser_hash = $2
      and (select count(*) from unnest(c.failed_at) as t where t > moment - interval '1 hour') < $3
    returning moment as counted_at,
      case when attempts <= $4 and expires_at > culprit_now() then code_hash end as live_hash`;

/**
 * Uses up the code with this hash, subtracts its try from the failures, and remembers the browser from now on; null
 * when the code was used or replaced at the same moment, or has expired.
 */
export async function consumeCode(
  transaction: Transaction,
  code: { email: string; browserHash: Buffer; hash: Buffer; countedAtMs: number },
): Promise<{ requestedTrialPlan: 'solo' | 'team' | null } | null> {
  const { email, browserHash, hash, countedAtMs } = code;
  const [row] = await transaction.query<{ requested_trial_plan: 'solo' | 'team' | null }>(
    sql('sign-in-code-consume')`
        update sign_in_codes set code_hash = null, expires_at = null,
          failed_at = failed_at[:coalesce(array_position(failed_at, $4::timestamptz), 0) - 1]
            || failed_at[coalesce(array_position(failed_at, $4::timestamptz), 0) + 1:],
          signed_in_at = culprit_now(),
          kept_until = greatest(kept_until, culprit_now() + make_interval(secs => $5))
        where email = $1 and browser_hash = $2 and code_hash = $3 and expires_at > culprit_now()
        returning requested_trial_plan`,
    [email, browserHash, hash, new Date(countedAtMs), KNOWN_BROWSER_SECONDS],
  );
  if (row === undefined) return null;
  await transaction.query(
    sql('sign-in-browsers-trim')`delete from sign_in_codes where email = $1 and browser_hash in (
        select browser_hash from sign_in_codes where email = $1 and signed_in_at is not null
        order by signed_in_at desc, browser_hash offset $2)`,
    [email, KNOWN_BROWSERS_MAX],
  );
  return { requestedTrialPlan: row.requested_trial_plan };
}
