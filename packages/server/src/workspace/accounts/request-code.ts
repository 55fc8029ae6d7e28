import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import type { requestSignInCode as endpoint } from '@culprit/contract/workspace/sign-in';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { addressClass } from '../audit/record-audit.ts';
import { browserName } from './create-session.ts';
import { CODE_LIFETIME_MS, codeHash, createCode } from './mailed-code.ts';
import { isOperatorAddress } from './operators.ts';
import { findEmailStatus } from './sign-in.queries.ts';
import { clientHash, newSignInBrowser, readSignInBrowser } from './sign-in-browser.ts';
import { replaceCode } from './sign-in-codes.queries.ts';
import { signInMail } from './sign-in-mail.ts';
import { limitSignInRequests } from './sign-in-rate.ts';
import { maySignUp } from './sign-in-settings.ts';

/** The address that signs in, in our form. @throws Problem `invalid_payload` */
export function checkMailAddress({ body }: { body: { email: string } }): string {
  const email = normalizeEmail(body.email);
  if (email === null) throw invalidPayload('/email', 'is not an e-mail address');
  return email;
}

/**
 * Mails a sign-in code to an address that has an account or may get one (docs/contract/account.md 2.2). For every other
 * address exactly the same is done, except that the message is not sent: neither the answer nor its time reveals the
 * difference.
 * @returns the cookie of the browser, with which alone the code can be used
 * @throws Problem `auth_not_configured`, `rate_limited`
 */
export async function requestCode(
  runtime: Runtime,
  { body, checked: email, clientAddress, headers }: ApiRequest<typeof endpoint, string>,
): Promise<string> {
  const { database, keys, signIn } = runtime;
  if (signIn.mailTransport === 'off') throw new Problem('auth_not_configured');
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const { isCookieSecure } = signIn;
  const browser = readSignInBrowser(headers, isCookieSecure) ?? newSignInBrowser(isCookieSecure);
  const code = createCode();
  const mail = signInMail({
    to: email,
    host: signIn.host,
    code,
    addressClass: addressClass(clientAddress),
    browser: browserName(headers['user-agent']),
  });
  const hash = codeHash(keys.mailedCodes, 'sign_in', email, code);
  const { requested_trial_plan: requestedTrialPlan = null } = body;
  await database.transaction(async (transaction) => {
    const { isKnown, hasOpenInvite } = await findEmailStatus(transaction, email);
    const mayGetCode =
      signIn.codesFor === 'everyone'
        ? isKnown || maySignUp(signIn, email, hasOpenInvite)
        : await isOperatorAddress(transaction, runtime.operators, email);
    const asked = { email, browser, clientHash: clientHash(keys.mailedCodes, clientAddress) };
    if (!(await replaceCode(transaction, { ...asked, hash, requestedTrialPlan }))) return;
    await queueMail(transaction, keys.queuedMail.reveal(), mail, {
      lifetimeMs: CODE_LIFETIME_MS,
      isDecoy: !mayGetCode,
    });
  });
  return browser.cookie;
}
