import { inTransaction } from '../../platform/db/statement.ts';

/** Gives a person an address that was proven just now; false where another account has it. */
export const changeAddress = inTransaction.exists<[userId: string, email: string]>(
  'email-change-apply',
  `update users set email = $2, email_verified_at = culprit_now()
    where user_id = $1 and not exists (select from users where lower(email) = $2 and user_id <> $1)
    returning user_id`,
);
