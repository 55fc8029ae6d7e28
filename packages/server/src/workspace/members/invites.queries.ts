import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Invite } from '@culprit/contract/workspace/invites';
import type { CollaboratorRole } from '@culprit/contract/workspace/members';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { RecordTable } from '../access/access.queries.ts';
import { IS_OPEN_INVITE } from '../accounts/open-invite.ts';
import type { Plan } from '../billing/plan.ts';

/** The table in which the binder finds an invite that a request names. */
export const INVITE_RECORDS: RecordTable = {
  from: 'project_invites i',
  projectId: 'i.project_id',
  recordId: 'i.invite_id',
  condition: IS_OPEN_INVITE,
};

/** Statements over invites. */

const COLUMNS = `invite_id, project_id, email, role, invited_by_user_id, accepted_at, canceled_at, expires_at,
  created_at`;

interface InviteRow {
  invite_id: string;
  project_id: string;
  email: string;
  role: CollaboratorRole;
  invited_by_user_id: string;
  /** Milliseconds since the epoch, as all times here. */
  accepted_at: number | null;
  canceled_at: number | null;
  expires_at: number;
  created_at: number;
}

/** The person who invites: their address, and whether it is proven to be theirs; null when they are gone. */
export const findInviter = statement.one<[userId: string], { email: string; isVerified: boolean }>(
  'invite-inviter',
  'select email, email_verified_at is not null as "isVerified" from users where user_id = $1',
);

/** Returns true if an address, in lower case, has an open invite to the project. */
export const hasOpenInvite = inTransaction.exists<[projectId: string, email: string]>(
  'invite-open',
  `select 1 from project_invites i where i.project_id = $1 and i.email = $2 and ${IS_OPEN_INVITE}`,
);

/** Collaborators of a project and those who could become one by an open invite; the owner is not counted. */
export const countCollaborators = inTransaction.value<[projectId: string], number>(
  'invite-collaborators',
  `select (select count(*) from project_members where project_id = $1 and role <> 'owner')
    + (select count(*) from project_invites i where i.project_id = $1 and ${IS_OPEN_INVITE}) as people`,
  0,
);

/** Writes an invite. `email` is in lower case, `lifetimeMs` counts from the database clock. */
export async function insertInvite(
  transaction: Transaction,
  invite: {
    inviteId: string;
    projectId: string;
    email: string;
    role: CollaboratorRole;
    tokenHash: Buffer;
    invitedByUserId: string;
    lifetimeMs: number;
  },
): Promise<Invite> {
  const [row] = await transaction.query<InviteRow>(
    sql('invite-insert')`insert into project_invites
          (invite_id, project_id, email, role, token_hash, invited_by_user_id, created_at, expires_at)
        select $1, $2, $3, $4, $5, $6, now, now + $7::float8 * interval '1 ms' from culprit_now() as now
        returning ${COLUMNS}`,
    [
      invite.inviteId,
      invite.projectId,
      invite.email,
      invite.role,
      invite.tokenHash,
      invite.invitedByUserId,
      invite.lifetimeMs,
    ],
  );
  if (row === undefined) throw new Error('an invite was not written');
  return inviteOf(row);
}

/** A page of the open invites of a project, newest first. */
export async function listInviteRows(
  database: Queryable,
  projectId: string,
  page: TimePage,
): Promise<Invite[]> {
  const rows = await database.query<InviteRow>(
    sql('invites-list')`select ${COLUMNS} from project_invites i
        where project_id = $1 and ${IS_OPEN_INVITE}
          and ($2::timestamptz is null or (created_at, invite_id) < ($2, $3::uuid))
        order by created_at desc, invite_id desc limit $4`,
    [projectId, ...pageParameters(page)],
  );
  return rows.map(inviteOf);
}

/** Ends an open invite of the project; null when there is none with this id. */
export const cancelInviteRow = statement.one<[projectId: string, inviteId: string], InviteRow, Invite>(
  'invite-cancel',
  `update project_invites i set canceled_at = culprit_now()
    where i.project_id = $1 and i.invite_id = $2 and ${IS_OPEN_INVITE} returning ${COLUMNS}`,
  inviteOf,
);

/** Ends the invites of a person who may no longer invite into the project; returns how many were open. */
export const cancelInvitesOf = inTransaction.count<[projectId: string, userId: string]>(
  'invites-cancel-of',
  `update project_invites i set canceled_at = culprit_now()
    where i.project_id = $1 and i.invited_by_user_id = $2 and ${IS_OPEN_INVITE} returning invite_id`,
);

/** Returns the offer of an open invite, by the hash of its token; null for every other token. */
export async function findOffer(
  database: Queryable,
  tokenHash: Buffer,
): Promise<{ project_name: string; invited_by_email: string; role: CollaboratorRole } | null> {
  const [row] = await database.query<{
    project_name: string;
    invited_by_email: string;
    role: CollaboratorRole;
  }>(
    sql('invite-offer')`select p.name as project_name, u.email as invited_by_email, i.role
        from project_invites i
        join projects p on p.project_id = i.project_id and p.deleted_at is null
        join users u on u.user_id = i.invited_by_user_id
        where i.token_hash = $1 and ${IS_OPEN_INVITE}`,
    [tokenHash],
  );
  return row ?? null;
}

/** An open invite as its acceptance needs it, and whether the person is a member of the project already. */
export interface OfferedInvite {
  inviteId: string;
  projectId: string;
  organizationId: string;
  email: string;
  role: CollaboratorRole;
  tokenHash: Buffer;
  /** The plan of the project's organization, in force now. */
  plan: Plan;
  isMember: boolean;
}

/**
 * Returns the open invite with that token into a project that exists; null for every other token. The project and the
 * role of the inviter stay unchanged until the transaction ends.
 */
export const findOfferedInvite = inTransaction.one<[tokenHash: Buffer, userId: string], OfferedInvite>(
  'invite-offered',
  `select i.invite_id as "inviteId", i.project_id as "projectId", p.organization_id as "organizationId",
      i.email, i.role, i.token_hash as "tokenHash",
      effective_plan(o, culprit_now()) as plan,
      exists (select from project_members m where m.project_id = i.project_id and m.user_id = $2) as "isMember"
    from project_invites i
    join projects p on p.project_id = i.project_id and p.deleted_at is null
    join organizations o on o.organization_id = p.organization_id
    join project_members s on s.project_id = i.project_id and s.user_id = i.invited_by_user_id
    where i.token_hash = $1 and ${IS_OPEN_INVITE}
    for share of p, s`,
);

/** Uses an invite up; false when it was used, canceled or expired in the meantime. */
export const consumeInvite = inTransaction.exists<[inviteId: string]>(
  'invite-consume',
  `update project_invites i set accepted_at = culprit_now() where i.invite_id = $1 and ${IS_OPEN_INVITE}
    returning invite_id`,
);

/** Deletes the invites that a person, by their address in lower case, has accepted. Open ones are their senders'. */
export const deleteAcceptedInvites = inTransaction.run<[email: string]>(
  'invites-accepted-delete',
  'delete from project_invites where email = $1 and accepted_at is not null',
);

function inviteOf(row: InviteRow): Invite {
  return {
    invite_id: row.invite_id,
    project_id: prefixedId('proj', row.project_id),
    email: row.email,
    role: row.role,
    invited_by_user_id: row.invited_by_user_id,
    accepted_at: row.accepted_at === null ? null : formatTimestamp(row.accepted_at),
    canceled_at: row.canceled_at === null ? null : formatTimestamp(row.canceled_at),
    expires_at: formatTimestamp(row.expires_at),
    created_at: formatTimestamp(row.created_at),
  };
}
