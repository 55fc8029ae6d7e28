import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { DeletedAccount, deleteAccount as endpoint } from '@culprit/contract/workspace/account';
import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { deletePerson, lockPerson } from '../accounts/account-deletion.queries.ts';
import { codeHash, isSameHash } from '../accounts/mailed-code.ts';
import { limitSignInRequests } from '../accounts/sign-in-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { deleteAcceptedInvites } from '../members/invites.queries.ts';
import { deleteMailRules } from '../members/mail-rules.queries.ts';
import { queueUnassign } from '../members/members.jobs.ts';
import { markProjectDeleted } from '../projects/delete-project.ts';
import { deleteReportRecipient } from '../projects/report-recipients.queries.ts';
import { deleteMemberTokens } from '../tokens/member-tokens.queries.ts';
import { DELETION_CODES } from './mailed-codes.queries.ts';
import { findOwnedProjects } from './owned-projects.queries.ts';

/**
 * Requires the confirmation text of an account deletion.
 * @throws Problem `invalid_confirmation`
 */
export function checkConfirmation({ body }: { body: { confirmation_text: string } }): void {
  if (body.confirmation_text !== DELETION_PHRASE) throw new Problem('invalid_confirmation');
}

/**
 * Deletes the caller's account with everything that hangs on it: organization, projects, sessions, tokens, memberships
 * elsewhere (docs/contract/account.md 5). All of it ends with one commit; the storage of the projects is emptied by
 * their jobs.
 * @throws Problem `rate_limited`, `invalid_otp`, `other_owned_projects_exist`, which does not use up the code
 */
export async function deleteAccount(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, void>,
): Promise<DeletedAccount> {
  const { database, keys } = runtime;
  const { access, caller, body } = request;
  const { userId, email } = caller;
  const { organizationId } = access;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const hash = codeHash(keys.mailedCodes, 'account_deletion', email, body.otp);
  if (!isSameHash(await DELETION_CODES.countAttempt(database, caller), hash))
    throw new Problem('invalid_otp');
  const account = await database.transaction(async (transaction) => {
    const isThere = await lockPerson(transaction, userId);
    if (!isThere || !(await DELETION_CODES.consume(transaction, caller, hash)))
      throw new Problem('invalid_otp');
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
  transaction: Transaction,
  { userId, email, organizationId }: { userId: string; email: string; organizationId: string },
): Promise<DeletedAccount> {
  const projects = await findOwnedProjects(transaction, userId);
  if (projects.some((project) => project.organizationId !== organizationId)) {
    throw new Problem('other_owned_projects_exist');
  }
  await deleteReportRecipient(transaction, userId, null);
  for (const { projectId } of projects) await markProjectDeleted(transaction, projectId);
  await deleteMailRules(transaction, { userId, email }, null);
  await deleteAcceptedInvites(transaction, email);
  queueUnassign(transaction, userId, null);
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
