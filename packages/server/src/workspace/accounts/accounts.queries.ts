import type { Queryable, Transaction } from '../../platform/db/database.ts';

/** Finds a person by address or makes the row; returns the id. */
export async function ensureUser(transaction: Transaction, userId: string, email: string): Promise<string> {
  const [row] = await transaction.query<{ user_id: string }>(
    {
      name: 'user-ensure',
      text: `insert into users (user_id, email, email_verified_at) values ($1, $2, culprit_now())
        on conflict (lower(email)) do update set email = users.email returning user_id`,
    },
    [userId, email],
  );
  if (row === undefined) throw new Error('the user row was neither found nor made');
  return row.user_id;
}

/** The person with an address in lower case; null when there is none. */
export async function findUserId(database: Queryable, email: string): Promise<string | null> {
  const [row] = await database.query<{ user_id: string }>(
    { name: 'user-find-by-email', text: 'select user_id from users where lower(email) = $1' },
    [email],
  );
  return row?.user_id ?? null;
}

/**
 * The organization a person owns, made when there is none. The user row is locked, so two callers make one. The first
 * owner of all is written down.
 */
export async function ensureOrganization(
  transaction: Transaction,
  organization: { organizationId: string; ownerUserId: string; name: string; plan: string },
): Promise<string> {
  await transaction.query(
    { name: 'user-lock', text: 'select user_id from users where user_id = $1 for update' },
    [organization.ownerUserId],
  );
  const [known] = await transaction.query<{ organization_id: string }>(
    {
      name: 'organization-of-owner',
      text: `select organization_id from organizations where owner_user_id = $1
        order by created_at, organization_id limit 1`,
    },
    [organization.ownerUserId],
  );
  if (known !== undefined) return known.organization_id;
  await transaction.query(
    {
      name: 'organization-insert',
      text: `with made as (
          insert into organizations (organization_id, owner_user_id, name, plan) values ($1, $2, $3, $4)
          returning owner_user_id
        )
        insert into first_owner (user_id)
        select u.user_id from made join users u on u.user_id = made.owner_user_id
        where u.email_verified_at is not null
        on conflict do nothing`,
    },
    [organization.organizationId, organization.ownerUserId, organization.name, organization.plan],
  );
  return organization.organizationId;
}
