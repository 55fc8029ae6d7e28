import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';

/** Statements that end a person and what they own. Other rows about them go by the keys that point to them. */

/** Locks a person's row, so that nothing more is created for them; false when they are gone. */
export const lockPerson = inTransaction.exists<[userId: string]>(
  'person-lock',
  'select user_id from users where user_id = $1 for update',
);

/**
 * Deletes a person with their organization and what was mailed to their address; the moment of it in milliseconds since
 * the epoch. Sessions, memberships, codes and links to other accounts go with the row. Projects must have ended before.
 */
export async function deletePerson(transaction: Transaction, userId: string, email: string): Promise<number> {
  await transaction.query(sql('organization-delete')`delete from organizations where owner_user_id = $1`, [
    userId,
  ]);
  await transaction.query(
    sql('sign-in-code-delete')`with mails as (delete from sign_in_mails where email = lower($1))
        delete from sign_in_codes where email = lower($1)`,
    [email],
  );
  const [row] = await transaction.query<{ deleted_at: number }>(
    sql('user-delete')`delete from users where user_id = $1 returning culprit_now() as deleted_at`,
    [userId],
  );
  if (row === undefined) throw new Error('the user row was gone under its lock');
  return row.deleted_at;
}
