import { isUniqueViolation, type Queryable } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';

/** Statements over the sign-ins of programs. Each is found by the SHA-256 of the id or of the code. */

/** The condition in SQL that the code of a sign-in `c` can still be approved. */
const IS_PENDING = `c.status = 'pending' and c.expires_at > culprit_now()`;

/**
 * Remembers a sign-in for 10 minutes. Some that were over 24 hours ago are deleted with it, so that the table stays small
 * without a job.
 * @returns when it expires, in milliseconds; null when its code is taken
 */
export async function insertCliSignIn(
  database: Queryable,
  signIn: { requestHash: Buffer; userCodeHash: Buffer; label: string; addressClass: string },
): Promise<number | null> {
  try {
    const [row] = await database.query<{ expires_at: number }>(
      sql('cli-sign-in-insert')`with gone as (
            delete from cli_sign_ins where request_hash in (
              select request_hash from cli_sign_ins where expires_at <= (select culprit_now()) - interval '24 h'
              order by expires_at limit 100 for update skip locked)
          )
          insert into cli_sign_ins (request_hash, user_code_hash, label, address_class, expires_at)
          values ($1, $2, $3, $4, culprit_now() + interval '10 min')
          returning expires_at`,
      [signIn.requestHash, signIn.userCodeHash, signIn.label, signIn.addressClass],
    );
    return row?.expires_at ?? null;
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/** The state of a sign-in; null when it is unknown or ended more than 24 hours ago. */
export const findCliSignIn = statement.one<
  [requestHash: Buffer],
  {
    status: 'pending' | 'approved' | 'claimed' | 'denied';
    expiresAt: number;
    isOver: boolean;
  }
>(
  'cli-sign-in-find',
  `select status, expires_at as "expiresAt", expires_at <= culprit_now() as "isOver"
    from cli_sign_ins where request_hash = $1 and expires_at > culprit_now() - interval '24 h'`,
);

/** The program that shows a code, while it can be approved. */
export async function findPendingCliSignIn(
  database: Queryable,
  userCodeHash: Buffer,
): Promise<{ label: string; address_class: string; created_at: number; expires_at: number } | null> {
  const [row] = await database.query<{
    label: string;
    address_class: string;
    created_at: number;
    expires_at: number;
  }>(
    sql('cli-sign-in-offer')`select c.label, c.address_class, c.created_at, c.expires_at
        from cli_sign_ins c where c.user_code_hash = $1 and ${IS_PENDING}`,
    [userCodeHash],
  );
  return row ?? null;
}

/** The one decision about a code; false when it can no longer be decided. */
export async function decideCliSignIn(
  database: Queryable,
  userCodeHash: Buffer,
  decision: { status: 'approved'; userId: string; access: 'full' | 'read' } | { status: 'denied' },
): Promise<boolean> {
  const rows = await database.query(
    sql('cli-sign-in-decide')`update cli_sign_ins c set status = $2, user_id = $3, access = $4
        where c.user_code_hash = $1 and ${IS_PENDING} returning c.status`,
    [
      userCodeHash,
      decision.status,
      decision.status === 'approved' ? decision.userId : null,
      decision.status === 'approved' ? decision.access : null,
    ],
  );
  return rows.length > 0;
}

/** The one claim of an approved sign-in; null when it cannot be claimed. */
export const claimApprovedCliSignIn = inTransaction.one<
  [requestHash: Buffer],
  { userId: string; access: 'full' | 'read'; label: string }
>(
  'cli-sign-in-claim',
  `update cli_sign_ins set status = 'claimed'
    where request_hash = $1 and status = 'approved' and expires_at > culprit_now()
    returning user_id as "userId", access, label`,
);
