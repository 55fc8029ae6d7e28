import type { confirmEmailChange, requestEmailChange } from '@culprit/contract/workspace/account';
import type { Session } from '@culprit/contract/workspace/sign-in';
import { isUniqueViolation, type Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { lockPerson } from '../accounts/account-deletion.queries.ts';
import { findUserId } from '../accounts/accounts.queries.ts';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import { getSession } from '../accounts/get-session.ts';
import { CODE_LIFETIME_MS, codeHash, createCode, isSameHash } from '../accounts/mailed-code.ts';
import { revokeOtherSessions } from '../accounts/sessions.queries.ts';
import { limitSignInRequests } from '../accounts/sign-in-rate.ts';
import { maySignUp } from '../accounts/sign-in-settings.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { moveMailRules } from '../members/mail-rules.queries.ts';
import { moveReportRecipient } from '../projects/report-recipients.queries.ts';
import { changeAddress } from './email-change.queries.ts';
import {
  changeCodeMail,
  changedAddressMail,
  currentCodeMail,
  takenAddressMail,
} from './email-change-mail.ts';
import { EMAIL_CHANGE_CODES } from './mailed-codes.queries.ts';

/**
 * Mails a code to the address that the caller's account will have, and another one to the address that it has
 * (docs/contract/server-additions.md S17): a session alone must not take the account. A new address that an account has
 * gets a message without a code, and one that may not sign up gets none: the answer does not reveal which.
 * @throws Problem `mail_not_configured`, `rate_limited`
 */
export async function requestChange(
  runtime: Runtime,
  request: ApiRequest<typeof requestEmailChange, string>,
): Promise<void> {
  const { database, keys, signIn } = runtime;
  const { caller, clientAddress, checked: email } = request;
  if (signIn.mailTransport === 'off') throw new Problem('mail_not_configured');
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const [code, currentCode] = [createCode(), createCode()];
  const hash = changeHash(keys.mailedCodes, caller, { email, code, currentCode });
  const { host } = signIn;
  const currentMail = currentCodeMail({ to: caller.email, host, newEmail: email, code: currentCode });
  // The caller already has an account, so only the domain of the address counts.
  const isDecoy = !maySignUp({ ...signIn, signup: 'open' }, email, true);
  await database.transaction(async (transaction) => {
    const isTaken = (await findUserId(transaction, email)) !== null;
    if (!(await EMAIL_CHANGE_CODES.replace(transaction, caller, hash, email))) return;
    const mail = isTaken ? takenAddressMail({ to: email, host }) : changeCodeMail({ to: email, host, code });
    await queueMail(transaction, keys.queuedMail.reveal(), mail, { lifetimeMs: CODE_LIFETIME_MS, isDecoy });
    await queueMail(transaction, keys.queuedMail.reveal(), currentMail, { lifetimeMs: CODE_LIFETIME_MS });
  });
}

/** Both codes have one hash: which of them was wrong is nothing to learn. */
function changeHash(
  key: Secret<Buffer>,
  { userId }: { userId: string },
  change: { email: string; code: string; currentCode: string },
): Buffer {
  const { email, code, currentCode } = change;
  return codeHash(key, 'email_change', `${userId} ${email}`, `${code} ${currentCode}`);
}

/**
 * Gives the caller's account the new address, with the codes that were mailed to it and to the old one. Mail that went
 * to the old address automatically goes to the new one; the old one gets a notice; every other session ends.
 * @throws Problem `rate_limited`, `invalid_code` for every way to fail
 */
export async function confirmChange(
  runtime: Runtime,
  request: ApiRequest<typeof confirmEmailChange, string>,
): Promise<Session> {
  const { database, keys } = runtime;
  const { caller, body, checked: email } = request;
  const { userId, sessionId } = caller;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const { code, current_code: currentCode } = body;
  const hash = changeHash(keys.mailedCodes, caller, { email, code, currentCode });
  if (!isSameHash(await EMAIL_CHANGE_CODES.countAttempt(database, caller), hash))
    throw new Problem('invalid_code');
  await database
    .transaction((transaction) => moveAccount(transaction, runtime, { caller, email, hash }))
    .catch((error: unknown) => {
      // Another account has proven the same address at the same moment.
      throw isUniqueViolation(error) ? new Problem('invalid_code') : error;
    });
  await recordAudit(database, request, {
    action: 'account.email_changed',
    actorUserId: userId,
    subject: `user:${userId}`,
  });
  return await getSession(runtime, sessionId);
}

async function moveAccount(
  transaction: Transaction,
  { keys, signIn }: Runtime,
  change: { caller: SessionCaller; email: string; hash: Buffer },
): Promise<void> {
  const { caller, email, hash } = change;
  const { userId, sessionId, email: oldEmail } = caller;
  const isThere = await lockPerson(transaction, userId);
  if (!isThere || !(await EMAIL_CHANGE_CODES.consume(transaction, caller, hash)))
    throw new Problem('invalid_code');
  await moveReportRecipient(transaction, userId, email);
  await moveMailRules(transaction, userId, { from: oldEmail, to: email });
  if (!(await changeAddress(transaction, userId, email))) throw new Problem('invalid_code');
  await revokeOtherSessions(transaction, userId, sessionId);
  const notice = changedAddressMail({ to: oldEmail, host: signIn.host, newEmail: email });
  await queueMail(transaction, keys.queuedMail.reveal(), notice);
}
