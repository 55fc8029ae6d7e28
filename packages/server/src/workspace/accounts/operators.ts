import type { Queryable } from '../../platform/db/database.ts';

/** Who may see how the installation is doing (docs/contract/server-additions.md S12). */
export interface OperatorSettings {
  /** Lower-case addresses. */
  emails: readonly string[];
  /** The owner of the first organization is one too: where nobody is named and the database is our own. */
  isFirstOwner: boolean;
}

/** Looked up for each request: an operator who is no longer named is none at once. */
export async function isOperator(
  database: Queryable,
  { emails, isFirstOwner }: OperatorSettings,
  userId: string,
): Promise<boolean> {
  if (emails.length === 0 && !isFirstOwner) return false;
  const rows = await database.query(IS_OPERATOR, [userId, [...emails], isFirstOwner]);
  return rows.length > 0;
}

// Persons of the service itself, such as the owner of the canary's project, have no verified address.
const IS_OPERATOR = {
  name: 'operator-find',
  text: `select u.user_id from users u
    where u.user_id = $1 and u.email_verified_at is not null and (lower(u.email) = any ($2) or ($3 and u.user_id = (
      select o.owner_user_id from organizations o
        join users w on w.user_id = o.owner_user_id and w.email_verified_at is not null
      order by o.created_at, o.organization_id limit 1)))`,
};
