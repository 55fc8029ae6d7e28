import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/** Statements over which account is whose at GitHub. */

/** Lets one sign-in of a GitHub person decide at a time, until the transaction ends: two make one account. */
export async function lockGithubPerson(transaction: Transaction, githubId: number): Promise<void> {
  await transaction.query(
    sql('github-person-lock')`select pg_advisory_xact_lock(hashtextextended('github:' || $1, 0))`,
    [String(githubId)],
  );
}

/** Returns the account that is linked to the GitHub person; its row is locked. */
export const findUserByGithubId = inTransaction.value<[githubId: number], string | null>(
  'github-user-find',
  'select user_id from users where github_id = $1 for update',
  null,
);

/** Links an account with a proven address; false when the address is not proven, or the account is linked already. */
export const linkGithubId = inTransaction.exists<[userId: string, githubId: number]>(
  'github-user-link',
  `update users set github_id = $2
    where user_id = $1 and github_id is null and email_verified_at is not null returning user_id`,
);
