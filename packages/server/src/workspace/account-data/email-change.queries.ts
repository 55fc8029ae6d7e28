import type { Transaction } from '../../platform/db/database.ts';

/** Gives a person an address that was proven just now; false where another account has it. */
export async function changeAddress(
  transaction: Transaction,
  userId: string,
  email: string,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'email-change-apply',
      text: `update users set email = $2, email_verified_at = culprit_now()
        where user_id = $1 and not exists (select from users where lower(email) = $2 and user_id <> $1)
        returning user_id`,
    },
    [userId, email],
  );
  return rows.length > 0;
}
