import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { CODE_ATTEMPTS_MAX, CODE_LIFETIME_MS } from '../accounts/mailed-code.ts';

/** Messages to one person, as for sign-in (docs/contract/account.md 2.2, 5). */
const COOLDOWN_SECONDS = 30;
const MESSAGES_PER_HOUR = 5;

/** The session that asked for a code. Only the same session can use it, and what others try burns nothing. */
interface AskingSession {
  userId: string;
  sessionId: string;
}

/** Codes that confirm one kind of change of an account; each person has one at most. */
interface MailedCodes {
  /**
   * Replaces a person's code, unless they had a message within 30 s or five within the hour: then nothing changes and
   * the answer is false.
   * @param email the address that the code is about, where the table has one
   */
  replace(transaction: Transaction, session: AskingSession, hash: Buffer, email?: string): Promise<boolean>;
  /**
   * Counts a try against a session's code, before anything is compared (docs/contract/reliability.md A11); the hash to
   * compare with, null when there is no code that could still be used.
   */
  countAttempt(database: Queryable, session: AskingSession): Promise<Buffer | null>;
  /** Uses up the code with this hash; false when it was used or replaced at the same moment, or has expired. */
  consume(transaction: Transaction, session: AskingSession, hash: Buffer): Promise<boolean>;
}

/**
 * The codes in a table.
 * @param codes.name the beginning of the names of its statements
 * @param codes.hasEmail whether a code is about an address
 */
function mailedCodes(codes: { name: string; table: string; hasEmail: boolean }): MailedCodes {
  const { name, table, hasEmail } = codes;
  const REPLACE = sql(`${name}-replace`)`
      insert into ${table} as c (user_id, code_hash, expires_at, sent_at, session_id${hasEmail ? ', email' : ''})
      select $1, $2, moment + make_interval(secs => $3), array[moment], $6${hasEmail ? ', $7' : ''}
      from (select culprit_now()::timestamptz(3) as moment) as clock
      on conflict (user_id) do update set
        code_hash = excluded.code_hash,
        session_id = excluded.session_id,
        expires_at = excluded.expires_at,
        ${hasEmail ? 'email = excluded.email,' : ''}
        attempts = 0,
        sent_at = array(select t from unnest(c.sent_at) as t
          where t > excluded.sent_at[1] - interval '1 hour' order by t) || excluded.sent_at
      where not exists (select from unnest(c.sent_at) as t
          where t > excluded.sent_at[1] - make_interval(secs => $4))
        and (select count(*) from unnest(c.sent_at) as t where t > excluded.sent_at[1] - interval '1 hour') < $5
      returning user_id`;
  const COUNT_ATTEMPT = sql(`${name}-attempt`)`update ${table} set attempts = attempts + 1
      where user_id = $1 and session_id = $3 and attempts < $2 and expires_at > culprit_now() and code_hash is not null
      returning code_hash`;
  const CONSUME = sql(`${name}-consume`)`update ${table} set code_hash = null
      where user_id = $1 and session_id = $3 and code_hash = $2 and expires_at > culprit_now() returning user_id`;
  return {
    async replace(transaction, { userId, sessionId }, hash, email) {
      const rows = await transaction.query(REPLACE, [
        userId,
        hash,
        CODE_LIFETIME_MS / 1000,
        COOLDOWN_SECONDS,
        MESSAGES_PER_HOUR,
        sessionId,
        ...(email === undefined ? [] : [email]),
      ]);
      return rows.length > 0;
    },
    async countAttempt(database, { userId, sessionId }) {
      const [row] = await database.query<{ code_hash: Buffer }>(COUNT_ATTEMPT, [
        userId,
        CODE_ATTEMPTS_MAX,
        sessionId,
      ]);
      return row?.code_hash ?? null;
    },
    async consume(transaction, { userId, sessionId }, hash) {
      return (await transaction.query(CONSUME, [userId, hash, sessionId])).length > 0;
    },
  };
}

/** With which a person may delete their account. */
export const DELETION_CODES = mailedCodes({
  name: 'deletion-code',
  table: 'account_deletion_codes',
  hasEmail: false,
});

/** With which a person may move to another address. */
export const EMAIL_CHANGE_CODES = mailedCodes({
  name: 'email-change',
  table: 'email_change_codes',
  hasEmail: true,
});
