import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** The operators: people who may see how the installation is doing (docs/contract/server-additions.md S12). */
export interface OperatorSettings {
  /** Lower-case addresses. */
  emails: readonly string[];
  /** The first owner is one too: where no address is named and the database is our own. */
  isFirstOwner: boolean;
}

/**
 * Returns true if a person is an operator. It is looked up for each request, so the removal of a name takes effect
 * immediately.
 */
export async function isOperator(
  database: Queryable,
  { emails, isFirstOwner }: OperatorSettings,
  userId: string,
): Promise<boolean> {
  if (emails.length === 0 && !isFirstOwner) return false;
  const rows = await database.query(IS_OPERATOR, [userId, [...emails], isFirstOwner]);
  return rows.length > 0;
}

const IS_OPERATOR = sql('operator-find')`select u.user_id from users u
    where u.user_id = $1 and u.email_verified_at is not null
      and (lower(u.email) = any ($2) or ($3 and u.user_id = (select user_id from first_owner)))`;

/** The address of the first owner; null when the account is gone, undefined before there was one. */
export async function findFirstOwner(database: Queryable): Promise<string | null | undefined> {
  const [row] = await database.query<{ email: string | null }>(
    sql(
      'first-owner-find',
    )`select lower(u.email) as email from first_owner f left join users u on u.user_id = f.user_id`,
  );
  return row?.email;
}

/** Makes a person with a verified address the operator in the place of the first owner; false when there is none such. */
export const nameFirstOwner = statement.exists<[email: string]>(
  'first-owner-name',
  `insert into first_owner (user_id)
        select user_id from users where lower(email) = $1 and email_verified_at is not null
        on conflict (is_only) do update set user_id = excluded.user_id, written_at = excluded.written_at
        returning user_id`,
);

/**
 * Returns true if the account with an address in lower case is an operator's; runs one statement whether the account
 * exists or not.
 */
export async function isOperatorAddress(
  database: Queryable,
  { emails, isFirstOwner }: OperatorSettings,
  email: string,
): Promise<boolean> {
  const rows = await database.query(
    sql('operator-find-by-email')`select u.user_id from users u
        where lower(u.email) = $1 and u.email_verified_at is not null
          and ($2 or ($3 and u.user_id = (select user_id from first_owner)))`,
    [email, emails.includes(email), isFirstOwner],
  );
  return rows.length > 0;
}
