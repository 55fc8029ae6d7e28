import type { requestDeletionCode as endpoint } from '@culprit/contract/workspace/account';
import { Problem } from '../../platform/http/binding/problem.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { CODE_LIFETIME_MS, codeHash, createCode } from '../accounts/mailed-code.ts';
import { limitSignInRequests } from '../accounts/sign-in-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { deletionMail } from './deletion-mail.ts';
import { DELETION_CODES } from './mailed-codes.queries.ts';

/**
 * Mails the code with which the caller may delete their account (docs/contract/account.md 5). A person who requests one
 * again too soon gets the same answer and no second message; the first code stays valid.
 * @throws Problem `account_deletion_verification_unavailable` without mail, `rate_limited`
 */
export async function requestDeletionCode(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, void>,
): Promise<void> {
  const { database, keys, signIn } = runtime;
  const { access, caller, clientAddress } = request;
  const { userId, email } = caller;
  if (signIn.mailTransport === 'off') throw new Problem('account_deletion_verification_unavailable');
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const code = createCode();
  const hash = codeHash(keys.mailedCodes, 'account_deletion', email, code);
  const mail = deletionMail({ to: email, host: signIn.host, code });
  const isSent = await database.transaction(async (transaction) => {
    if (!(await DELETION_CODES.replace(transaction, caller, hash))) return false;
    await queueMail(transaction, keys.queuedMail.reveal(), mail, { lifetimeMs: CODE_LIFETIME_MS });
    return true;
  });
  if (!isSent) return;
  await recordAudit(database, request, {
    ...access,
    action: 'account.deletion_requested',
    actorUserId: userId,
    subject: `user:${userId}`,
  });
}
