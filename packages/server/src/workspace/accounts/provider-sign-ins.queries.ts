import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { SignInMethod } from './sign-in-person.ts';

/** Statements over browser sign-ins in progress with a provider. */

type Method = Exclude<SignInMethod, 'email'>;

/**
 * Remembers a browser sign-in for 10 minutes (docs/contract/account.md 3.2). Some that are over are deleted with it, so
 * that the table stays small without a job.
 */
export async function insertProviderSignIn(
  database: Queryable,
  signIn: { method: Method; stateHash: Buffer; returnTo: string },
): Promise<void> {
  await database.query(
    sql('provider-sign-in-insert')`with over as (
          delete from provider_sign_ins where state_hash in (
            select state_hash from provider_sign_ins where expires_at <= (select culprit_now())
            order by expires_at limit 100 for update skip locked)
        )
        insert into provider_sign_ins (state_hash, method, return_to, expires_at)
        values ($1, $2, $3, culprit_now() + interval '10 min')`,
    [signIn.stateHash, signIn.method, signIn.returnTo],
  );
}

/** Consumes the state of a sign-in, once; null when it is unknown, of another method, consumed or expired. */
export async function consumeProviderSignIn(
  database: Queryable,
  method: Method,
  stateHash: Buffer,
): Promise<{ returnTo: string } | null> {
  const [row] = await database.query<{ return_to: string }>(
    sql(
      'provider-sign-in-take',
    )`delete from provider_sign_ins where state_hash = $1 and method = $2 and expires_at > culprit_now()
        returning return_to`,
    [stateHash, method],
  );
  return row === undefined ? null : { returnTo: row.return_to };
}
