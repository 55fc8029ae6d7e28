import type { Queryable, Transaction } from '../../../platform/db/database.ts';

/** Statements over sign-ins with OpenID Connect in progress and over which account is whose at the provider. */

/**
 * Remembers a browser sign-in for 10 minutes. Some that are over are deleted with it, so that the table stays small
 * without a job.
 */
export async function insertOidcSignIn(
  database: Queryable,
  signIn: { stateHash: Buffer; returnTo: string },
): Promise<void> {
  await database.query(
    {
      name: 'oidc-sign-in-insert',
      text: `with over as (
          delete from oidc_sign_ins where state_hash in (
            select state_hash from oidc_sign_ins where expires_at <= (select culprit_now())
            order by expires_at limit 100 for update skip locked)
        )
        insert into oidc_sign_ins (state_hash, return_to, expires_at)
        values ($1, $2, culprit_now() + interval '10 min')`,
    },
    [signIn.stateHash, signIn.returnTo],
  );
}

/** Consumes the state of a sign-in, once; null when it is unknown, consumed or expired. */
export async function consumeOidcSignIn(
  database: Queryable,
  stateHash: Buffer,
): Promise<{ returnTo: string } | null> {
  const [row] = await database.query<{ return_to: string }>(
    {
      name: 'oidc-sign-in-take',
      text: 'delete from oidc_sign_ins where state_hash = $1 and expires_at > culprit_now() returning return_to',
    },
    [stateHash],
  );
  return row === undefined ? null : { returnTo: row.return_to };
}

/** A person at a provider. */
export interface OidcSubject {
  issuer: string;
  subject: string;
}

/** Lets one sign-in of a person decide at a time, until the transaction ends: two make one account. */
export async function lockOidcPerson(
  transaction: Transaction,
  { issuer, subject }: OidcSubject,
): Promise<void> {
  await transaction.query(
    {
      name: 'oidc-person-lock',
      text: `select pg_advisory_xact_lock(hashtextextended('oidc:' || $1 || ' ' || $2, 0))`,
    },
    [issuer, subject],
  );
}

/** Returns the account that is linked to the person of the provider; its row is locked, and the sign-in recorded. */
export async function findUserBySubject(
  transaction: Transaction,
  { issuer, subject }: OidcSubject,
): Promise<string | null> {
  const [row] = await transaction.query<{ user_id: string }>(
    {
      name: 'oidc-user-find',
      text: `with linked as (
          update oidc_identities set last_sign_in_at = culprit_now()
          where issuer = $1 and subject = $2 returning user_id
        )
        select u.user_id from users u join linked using (user_id) for update of u`,
    },
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
    {
      name: 'oidc-user-link',
      text: `insert into oidc_identities (issuer, subject, user_id)
        select $2, $3, user_id from users where user_id = $1 and email_verified_at is not null
        on conflict do nothing returning user_id`,
    },
    [userId, issuer, subject],
  );
  return rows.length > 0;
}
