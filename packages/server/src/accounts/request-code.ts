import { normalizeEmail } from '@culprit/contract/email-address';
import { addressClass } from '../audit/record-audit.ts';
import { Problem } from '../platform/http/problem.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import { CODE_LIFETIME_MS, codeHash, createCode } from './mailed-code.ts';
import { findAddressStanding } from './sign-in.queries.ts';
import { replaceCode } from './sign-in-codes.queries.ts';
import { signInMail } from './sign-in-mail.ts';
import { takeSignInTurn } from './sign-in-rate.ts';
import type { SignInRoom } from './sign-in-room.ts';
import { maySignUp } from './sign-in-settings.ts';

/**
 * Mails a sign-in code to an address that has an account or may get one (account.md 2.2). For every other address
 * exactly the same is done, except that the message is not sent: neither the answer nor its time tells them apart.
 * @throws Problem `invalid_payload`, `auth_not_configured`, `rate_limited`
 */
export async function requestCode(
  room: SignInRoom,
  request: { email: string; requestedTrialPlan: 'solo' | 'team' | null; clientAddress: string },
): Promise<void> {
  const { settings } = room;
  const email = normalizeEmail(request.email);
  if (email === null) throw new Problem('invalid_payload');
  if (!settings.isMailConfigured) throw new Problem('auth_not_configured');
  await takeSignInTurn(room.database, settings, 'sign_in', request.clientAddress);
  const code = createCode();
  const mail = signInMail({
    to: email,
    host: settings.host,
    code,
    addressClass: addressClass(request.clientAddress),
  });
  const hash = codeHash(room.codeKey, 'sign_in', email, code);
  await room.database.transaction(async (transaction) => {
    const { isKnown, hasOpenInvite } = await findAddressStanding(transaction, email);
    const isDecoy = !isKnown && !maySignUp(settings, email, hasOpenInvite);
    const { requestedTrialPlan } = request;
    if (!(await replaceCode(transaction, { email, hash, requestedTrialPlan }))) return;
    await queueMail(transaction, room.mailKey, mail, { lifetimeMs: CODE_LIFETIME_MS, isDecoy });
  });
}
