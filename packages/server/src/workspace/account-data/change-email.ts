import type { confirmEmailChange, requestEmailChange } from '@culprit/contract/account';
import type { Session } from '@culprit/contract/sign-in';
import { isUniqueViolation, type Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/problem.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { lockPerson } from '../accounts/account-deletion.queries.ts';
import { findUserId } from '../accounts/accounts.queries.ts';
import { getSession } from '../accounts/get-session.ts';
import { CODE_LIFETIME_MS, codeHash, createCode, isSameHash } from '../accounts/mailed-code.ts';
import { revokeOtherSessions } from '../accounts/sessions.queries.ts';
import { limitSignInRequests } from '../accounts/sign-in-rate.ts';
import { maySignUp } from '../accounts/sign-in-settings.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { moveMailRules } from '../members/mail-rules.queries.ts';
import { moveReportRecipient } from '../projects/report-recipients.queries.ts';
import { changeAddress } from './email-change.queries.ts';
import { changeCodeMail, changedAddressMail, takenAddressMail } from './email-change-mail.ts';
import { EMAIL_CHANGE_CODES } from './mailed-codes.queries.ts';

/**
 * Mails a code to the address that the caller's account is to have (docs/contract/server-additions.md S17). One that an
 * account has gets a message without a code, and one that may not sign up gets none: the answer does not tell.
 * @throws Problem `mail_not_configured`, `rate_limited`
 */
export async function requestChange(
  runtime: Runtime,
  request: ApiRequest<typeof requestEmailChange, string>,
): Promise<void> {
  const { database, keys, signIn } = runtime;
  const { caller, clientAddress, checked: email } = request;
  const { userId } = caller;
  if (signIn.mailTransport === 'off') throw new Problem('mail_not_configured');
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const code = createCode();
  const hash = codeHash(keys.mailedCodes, 'email_change', `${userId} ${email}`, code);
  const { host } = signIn;
  // Whoever is here may be here; only the domain of the address counts.
  const isDecoy = !maySignUp({ ...signIn, signup: 'open' }, email, true);
  await database.transaction(async (transaction) => {
    const isTaken = (await findUserId(transaction, email)) !== null;
    if (!(await EMAIL_CHANGE_CODES.replace(transaction, userId, hash, email))) return;
    const mail = isTaken ? takenAddressMail({ to: email, host }) : changeCodeMail({ to: email, host, code });
    await queueMail(transaction, keys.queuedMail.reveal(), mail, { lifetimeMs: CODE_LIFETIME_MS, isDecoy });
  });
}

/**
 * Gives the caller's account the address to which the code was mailed. Mail that went to the old address of its own
 * accord goes to the new one; the old one is told; every other session ends.
 * @throws Problem `rate_limited`, `invalid_code` for every way to fail
 */
export async function confirmChange(
  runtime: Runtime,
  request: ApiRequest<typeof confirmEmailChange, string>,
): Promise<Session> {
  const { database, keys } = runtime;
  const { caller, body, checked: email } = request;
  const { userId, sessionId, email: oldEmail } = caller;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const hash = codeHash(keys.mailedCodes, 'email_change', `${userId} ${email}`, body.code);
  if (!isSameHash(await EMAIL_CHANGE_CODES.countAttempt(database, userId), hash))
    throw new Problem('invalid_code');
  await database
    .transaction((transaction) =>
      moveAccount(transaction, runtime, { userId, sessionId, oldEmail, email, hash }),
    )
    .catch((error: unknown) => {
      // Somebody else has proven the same address at the same moment.
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
  change: { userId: string; sessionId: string; oldEmail: string; email: string; hash: Buffer },
): Promise<void> {
  const { userId, sessionId, oldEmail, email, hash } = change;
  const isThere = await lockPerson(transaction, userId);
  if (!isThere || !(await EMAIL_CHANGE_CODES.consume(transaction, userId, hash)))
    throw new Problem('invalid_code');
  await moveReportRecipient(transaction, userId, email);
  await moveMailRules(transaction, userId, { from: oldEmail, to: email });
  if (!(await changeAddress(transaction, userId, email))) throw new Problem('invalid_code');
  await revokeOtherSessions(transaction, userId, sessionId);
  const notice = changedAddressMail({ to: oldEmail, host: signIn.host, newEmail: email });
  await queueMail(transaction, keys.queuedMail.reveal(), notice);
}
