import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import { IS_OPEN_INVITE } from './open-invite.ts';

/** An invite `i` to a live project `p` that can still be accepted. */
const OPEN_INVITES = `project_invites i join projects p on p.project_id = i.project_id and p.deleted_at is null
  where ${IS_OPEN_INVITE}`;

/**
 * Returns the facts about an address that sign-up needs: is there an account with it, and does an open invite name it.
 */
export async function findEmailStatus(
  database: Queryable,
  email: string,
): Promise<{ isKnown: boolean; hasOpenInvite: boolean }> {
  const [row] = await database.query<{ is_known: boolean; has_open_invite: boolean }>(
    sql('sign-in-address')`select exists (select from users where lower(email) = $1) as is_known,
        exists (select from ${OPEN_INVITES} and i.email = $1) as has_open_invite`,
    [email],
  );
  return { isKnown: row?.is_known ?? false, hasOpenInvite: row?.has_open_invite ?? false };
}

/** Finds a person by address and locks the row. */
export const lockUserByEmail = inTransaction.value<[email: string], string | null>(
  'user-lock-email',
  'select user_id from users where lower(email) = $1 for update',
  null,
);

/** Creates a person with a proven address; false when the address already has an account. */
export const insertUser = inTransaction.exists<[userId: string, email: string]>(
  'user-insert',
  `insert into users (user_id, email, email_verified_at) values ($1, $2, culprit_now())
    on conflict (lower(email)) do nothing returning user_id`,
);

/** Marks a sign-in on the person's row, which it locks: the way that was used, the terms, the proven address. */
export const markSignedIn = inTransaction.run<[userId: string, method: 'email' | 'github' | 'oidc']>(
  'user-signed-in',
  `update users set
      has_used_email = has_used_email or $2 = 'email',
      has_used_github = has_used_github or $2 = 'github',
      has_used_oidc = has_used_oidc or $2 = 'oidc',
      email_verified_at = case when $2 = 'email' then coalesce(email_verified_at, culprit_now())
        else email_verified_at end,
      terms_accepted_at = coalesce(terms_accepted_at, culprit_now())
    where user_id = $1`,
);

/** The organizations that a person belongs to (docs/contract/account.md 1.7); each null when there is none. */
interface Memberships {
  email: string;
  /** The organization they own. */
  ownedId: string | null;
  /** The organization of their oldest membership. */
  joinedId: string | null;
  /** The organization of their oldest open invite. */
  invitedId: string | null;
}

/** The organizations that a person belongs to; null when there is no such person. */
export const findMemberships = inTransaction.one<[userId: string], Memberships>(
  'user-memberships',
  `
    select u.email,
      (select organization_id from organizations where owner_user_id = u.user_id
        order by created_at, organization_id limit 1) as "ownedId",
      (select p.organization_id from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        where m.user_id = u.user_id order by m.created_at, m.project_id limit 1) as "joinedId",
      (select p.organization_id from ${OPEN_INVITES} and i.email = lower(u.email)
        order by i.created_at, i.invite_id limit 1) as "invitedId"
    from users u where u.user_id = $1`,
);
