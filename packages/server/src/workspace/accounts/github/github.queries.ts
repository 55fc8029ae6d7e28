import type { Transaction } from '../../../platform/db/database.ts';

/** Statements over which account is whose at GitHub. */

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
