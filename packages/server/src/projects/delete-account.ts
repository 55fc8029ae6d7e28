import { DELETION_PHRASE, type DeletedAccount } from '@culprit/contract/account';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { deletePerson, findOwnedOrganization, lockPerson } from '../accounts/account-deletion.queries.ts';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import { codeHash, isSameHash } from '../accounts/mailed-code.ts';
import { takeSignInTurn } from '../accounts/sign-in-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { prefixedId } from '../platform/ids.ts';
import { deleteMemberTokens } from '../tokens/member-tokens.queries.ts';
import { markProjectDeleted } from './delete-project.ts';
import { consumeDeletionCode, countDeletionAttempt } from './deletion-codes.queries.ts';
import { deleteAcceptedInvites } from './invites.queries.ts';
import { deleteMailRules } from './mail-rules.queries.ts';
import { findOwnedProjects } from './owned-projects.queries.ts';
import type { PeopleRoom } from './people-room.ts';
import { removeReportRecipient } from './report-recipients.queries.ts';

/**
 * Deletes the caller's account with everything that hangs on it: organization, projects, sessions, tokens, memberships
 * elsewhere (account.md 5). All of it ends with one commit; the storage of the projects is emptied by their jobs.
 * @throws Problem `invalid_confirmation`, `forbidden` for somebody without an organization, `rate_limited`,
 * `invalid_otp`, `other_owned_projects_exist`, which leaves the code as it is
 */
export async function deleteAccount(
  room: PeopleRoom,
  caller: SessionCaller,
  body: { confirmation_text: string; otp: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<DeletedAccount> {
  const { database, settings } = room;
  const { userId, email } = caller;
  if (body.confirmation_text !== DELETION_PHRASE) throw new Problem('invalid_confirmation');
  const organizationId = await findOwnedOrganization(database, userId);
  if (organizationId === null) throw new Problem('forbidden');
  await takeSignInTurn(database, settings, 'sign_in', request.clientAddress);
  const hash = codeHash(room.codeKey, 'account_deletion', email, body.otp);
  if (!isSameHash(await countDeletionAttempt(database, userId), hash)) throw new Problem('invalid_otp');
  const account = await database.transaction(async (transaction) => {
    const isThere = await lockPerson(transaction, userId);
    if (!isThere || !(await consumeDeletionCode(transaction, userId, hash))) throw new Problem('invalid_otp');
    return await deleteEverything(transaction, { userId, email, organizationId });
  });
  await recordAudit(database, request, {
    action: 'account.deleted',
    actorUserId: userId,
    organizationId,
    subject: `user:${userId}`,
    data: {
      projects: account.deleted_project_ids.length,
      member_tokens: account.deleted_member_token_count,
    },
  });
  return account;
}

async function deleteEverything(
  transaction: Queryable,
  { userId, email, organizationId }: { userId: string; email: string; organizationId: string },
): Promise<DeletedAccount> {
  const projects = await findOwnedProjects(transaction, userId);
  if (projects.some((project) => project.organizationId !== organizationId)) {
    throw new Problem('other_owned_projects_exist');
  }
  await removeReportRecipient(transaction, userId, null);
  for (const { projectId } of projects) await markProjectDeleted(transaction, projectId);
  await deleteMailRules(transaction, { userId, email }, null);
  await deleteAcceptedInvites(transaction, email);
  const tokens = await deleteMemberTokens(transaction, userId);
  const deletedAtMs = await deletePerson(transaction, userId, email);
  return {
    deleted_at: formatTimestamp(deletedAtMs),
    organization_id: organizationId,
    deleted_project_ids: projects.map(({ projectId }) => prefixedId('proj', projectId)),
    user_deleted: true,
    deleted_member_token_count: tokens,
  };
}
