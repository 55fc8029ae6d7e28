import { isUniqueViolation, type Queryable, type Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { DEMO_EMAIL } from './demo-account.ts';

/** Finds a person by address or makes the row; returns the id. */
export async function ensureUser(transaction: Transaction, userId: string, email: string): Promise<string> {
  const [row] = await transaction.query<{ user_id: string }>(
    sql('user-ensure')`insert into users (user_id, email, email_verified_at) values ($1, $2, culprit_now())
        on conflict (lower(email)) do update set email = users.email returning user_id`,
    [userId, email],
  );
  if (row === undefined) throw new Error('the user row was neither found nor made');
  return row.user_id;
}

/** The person with an address in lower case; null when there is none. */
export const findUserId = statement.value<[email: string], string | null>(
  'user-find-by-email',
  'select user_id from users where lower(email) = $1',
  null,
);

/**
 * Returns the organization that a person owns, and creates it when there is none. The user row is locked, so two callers
 * create one. The first owner of all is written down, unless the address ends in `.test`, which no mail reaches. The
 * first person after the demo becomes an admin of the demo's projects.
 */
export async function ensureOrganization(
  transaction: Transaction,
  organization: { organizationId: string; ownerUserId: string; name: string; plan: string },
): Promise<string> {
  await transaction.query(sql('user-lock')`select user_id from users where user_id = $1 for update`, [
    organization.ownerUserId,
  ]);
  const [known] = await transaction.query<{ organization_id: string }>(
    sql('organization-of-owner')`select organization_id from organizations where owner_user_id = $1
        order by created_at, organization_id limit 1`,
    [organization.ownerUserId],
  );
  if (known !== undefined) return known.organization_id;
  await transaction.query(
    sql('organization-insert')`with made as (
          insert into organizations (organization_id, owner_user_id, name, plan) values ($1, $2, $3, $4)
          returning owner_user_id
        ), shown as (
          insert into project_members (project_id, user_id, role)
          select p.project_id, made.owner_user_id, 'admin'
          from made, users demo
            join organizations o on o.owner_user_id = demo.user_id
            join projects p on p.organization_id = o.organization_id and p.deleted_at is null
          where lower(demo.email) = $5 and demo.user_id <> made.owner_user_id
            and not exists (
              select from organizations o join users u on u.user_id = o.owner_user_id
              where u.email_verified_at is not null and u.user_id not in (demo.user_id, made.owner_user_id))
        )
        insert into first_owner (user_id)
        select u.user_id from made join users u on u.user_id = made.owner_user_id
        where u.email_verified_at is not null and lower(u.email) not like '%.test'
        on conflict do nothing`,
    [organization.organizationId, organization.ownerUserId, organization.name, organization.plan, DEMO_EMAIL],
  );
  return organization.organizationId;
}

/** The oldest verified accounts, at most 100. The canary has none. */
export const listAccounts = statement.many<[], { user_id: string; email: string }>(
  'accounts-list',
  `select user_id, email from users where email_verified_at is not null
    order by created_at, user_id limit 100`,
);

/** Saves what is given of a person's profile; null when another person has the handle. */
export async function saveProfile(
  database: Queryable,
  userId: string,
  { name, handle }: { name: string | null | undefined; handle: string | undefined },
): Promise<{ name: string | null; handle: string } | null> {
  try {
    const [row] = await database.query<{ name: string | null; handle: string }>(
      sql(
        'profile-save',
      )`update users set name = case when $2 then $3 else name end, handle = coalesce($4, handle)
          where user_id = $1 returning name, handle`,
      [userId, name !== undefined, name ?? null, handle ?? null],
    );
    if (row === undefined) throw new Error('the account is gone');
    return row;
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}
