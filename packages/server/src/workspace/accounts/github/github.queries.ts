import type { Queryable, Transaction } from '../../../platform/db/database.ts';

/** Statements over GitHub sign-ins under way and over who is whom at GitHub. */

/**
 * Remembers a browser sign-in for 10 minutes (docs/contract/account.md 3.2). Some that are over go with it, so that
 * the table stays small without a job.
 */
export async function insertGithubSignIn(
  database: Queryable,
  signIn: { stateHash: Buffer; returnTo: string },
): Promise<void> {
  await database.query(
    {
      name: 'github-sign-in-insert',
      text: `with over as (
          delete from github_sign_ins where state_hash in (
            select state_hash from github_sign_ins where expires_at <= (select culprit_now())
            order by expires_at limit 100 for update skip locked)
        )
        insert into github_sign_ins (state_hash, return_to, expires_at)
        values ($1, $2, culprit_now() + interval '10 min')`,
    },
    [signIn.stateHash, signIn.returnTo],
  );
}

/** Consumes the state of a sign-in, once; null when it is unknown, consumed or expired. */
export async function consumeGithubSignIn(
  database: Queryable,
  stateHash: Buffer,
): Promise<{ returnTo: string } | null> {
  const [row] = await database.query<{ return_to: string }>(
    {
      name: 'github-sign-in-take',
      text: `delete from github_sign_ins where state_hash = $1 and expires_at > culprit_now() returning return_to`,
    },
    [stateHash],
  );
  return row === undefined ? null : { returnTo: row.return_to };
}

/** Lets one sign-in of a GitHub person decide at a time, until the transaction ends: two make one account. */
export async function lockGithubPerson(transaction: Transaction, githubId: number): Promise<void> {
  await transaction.query(
    {
      name: 'github-person-lock',
      text: `select pg_advisory_xact_lock(hashtextextended('github:' || $1, 0))`,
    },
    [String(githubId)],
  );
}

/** Returns the account that is linked to the GitHub person; its row is locked. */
export async function findUserByGithubId(transaction: Transaction, githubId: number): Promise<string | null> {
  const [row] = await transaction.query<{ user_id: string }>(
    { name: 'github-user-find', text: 'select user_id from users where github_id = $1 for update' },
    [githubId],
  );
  return row?.user_id ?? null;
}

/** Links an account with a proven address; false when the address is not proven, or the account is linked already. */
export async function linkGithubId(
  transaction: Transaction,
  userId: string,
  githubId: number,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'github-user-link',
      text: `update users set github_id = $2
        where user_id = $1 and github_id is null and email_verified_at is not null returning user_id`,
    },
    [userId, githubId],
  );
  return rows.length > 0;
}
