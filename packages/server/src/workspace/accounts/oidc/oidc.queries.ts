import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/** Statements over which account is whose at the provider, and over logouts that it sends. */

/** Remembers a logout token as long as it could be accepted; false when it was used before. */
export const insertOidcLogout = inTransaction.exists<[tokenHash: Buffer, seconds: number]>(
  'oidc-logout-insert',
  `insert into oidc_logouts (token_hash, expires_at)
    values ($1, culprit_now() + make_interval(secs => $2)) on conflict do nothing returning 1 as one`,
);

/** A person at a provider. */
interface OidcSubject {
  issuer: string;
  subject: string;
}

/** Lets one sign-in of a person decide at a time, until the transaction ends: two make one account. */
export async function lockOidcPerson(
  transaction: Transaction,
  { issuer, subject }: OidcSubject,
): Promise<void> {
  await transaction.query(
    sql('oidc-person-lock')`select pg_advisory_xact_lock(hashtextextended('oidc:' || $1 || ' ' || $2, 0))`,
    [issuer, subject],
  );
}

/** Returns the account that is linked to the person of the provider; its row is locked, and the sign-in recorded. */
export async function findUserBySubject(
  transaction: Transaction,
  { issuer, subject }: OidcSubject,
): Promise<string | null> {
  const [row] = await transaction.query<{ user_id: string }>(
    sql('oidc-user-find')`with linked as (
          update oidc_identities set last_sign_in_at = culprit_now()
          where issuer = $1 and subject = $2 returning user_id
        )
        select u.user_id from users u join linked using (user_id) for update of u`,
    [issuer, subject],
  );
  return row?.user_id ?? null;
}

/**
 * Links an account whose address is proven here; false when it is not, or another person of the provider has the
 * account.
 */
export async function linkSubject(
  transaction: Transaction,
  userId: string,
  { issuer, subject }: OidcSubject,
): Promise<boolean> {
  const rows = await transaction.query(
    sql('oidc-user-link')`insert into oidc_identities (issuer, subject, user_id)
        select $2, $3, user_id from users where user_id = $1 and email_verified_at is not null
        on conflict do nothing returning user_id`,
    [userId, issuer, subject],
  );
  return rows.length > 0;
}
