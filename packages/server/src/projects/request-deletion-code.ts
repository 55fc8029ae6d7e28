import { DELETION_PHRASE } from '@culprit/contract/account';
import { findOwnedOrganization } from '../accounts/account-deletion.queries.ts';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import { CODE_LIFETIME_MS, codeHash, createCode } from '../accounts/mailed-code.ts';
import { takeSignInTurn } from '../accounts/sign-in-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import { replaceDeletionCode } from './deletion-codes.queries.ts';
import { deletionMail } from './deletion-mail.ts';
import type { PeopleRoom } from './people-room.ts';

/**
 * Mails the code with which the caller may delete their account (account.md 5). Somebody who asks again too soon gets
 * the same answer and no second message; the code they have stays good.
 * @throws Problem `invalid_confirmation`, `forbidden` for somebody without an organization,
 * `account_deletion_verification_unavailable` without mail, `rate_limited`
 */
export async function requestDeletionCode(
  room: PeopleRoom,
  caller: SessionCaller,
  body: { confirmation_text: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const { database, settings } = room;
  const { userId, email } = caller;
  if (body.confirmation_text !== DELETION_PHRASE) throw new Problem('invalid_confirmation');
  const organizationId = await findOwnedOrganization(database, userId);
  if (organizationId === null) throw new Problem('forbidden');
  if (!settings.isMailConfigured) throw new Problem('account_deletion_verification_unavailable');
  await takeSignInTurn(database, settings, 'sign_in', request.clientAddress);
  const code = createCode();
  const hash = codeHash(room.codeKey, 'account_deletion', email, code);
  const mail = deletionMail({ to: email, host: settings.host, code });
  const isSent = await database.transaction(async (transaction) => {
    if (!(await replaceDeletionCode(transaction, userId, hash))) return false;
    await queueMail(transaction, room.mailKey, mail, { lifetimeMs: CODE_LIFETIME_MS });
    return true;
  });
  if (!isSent) return;
  await recordAudit(database, request, {
    action: 'account.deletion_requested',
    actorUserId: userId,
    organizationId,
    subject: `user:${userId}`,
  });
}
