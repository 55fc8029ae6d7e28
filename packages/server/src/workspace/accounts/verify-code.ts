import type { verifySignInCode as endpoint, Session } from '@culprit/contract/workspace/sign-in';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { startTrial } from '../billing/start-trial.ts';
import { auditFailedSignIn, auditSignIn } from './audit-sign-in.ts';
import { createSession, type NewSession, type SessionOrigin } from './create-session.ts';
import { getSession } from './get-session.ts';
import { codeHash, isSameHash } from './mailed-code.ts';
import { readSessionCookie } from './session-secrets.ts';
import { readSignInBrowser } from './sign-in-browser.ts';
import { consumeCode, countAttempt } from './sign-in-codes.queries.ts';
import { findOrCreateAccount, type SignedInPerson } from './sign-in-person.ts';
import { limitSignInRequests } from './sign-in-rate.ts';

type TrialPlan = 'solo' | 'team';

/**
 * Signs in with a mailed code (docs/contract/account.md 2.3): consumes the code, creates the account if need be, starts
 * a session. The code belongs to the browser that asked for it: what another one brings is compared with nothing. The
 * try is counted in the database before anything is compared. All ways to fail look the same. With a success the
 * session ends that the request came with.
 * @throws Problem `auth_not_configured`, `rate_limited`, `invalid_code`
 */
export async function verifyCode(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, string>,
): Promise<{ session: Session; secret: Secret }> {
  const { database, keys } = runtime;
  const { body, checked: email, headers } = request;
  if (runtime.signIn.mailTransport === 'off') throw new Problem('auth_not_configured');
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const browser = readSignInBrowser(headers, runtime.signIn.isCookieSecure);
  const attempt = browser === null ? null : await countAttempt(database, email, browser.hash);
  const hash = codeHash(keys.mailedCodes, 'sign_in', email, body.code);
  const isRight = isSameHash(attempt?.liveHash ?? null, hash);
  const signIn =
    browser === null || attempt === null || !isRight
      ? null
      : await database.transaction((transaction) =>
          signInWithCode(transaction, runtime, {
            email,
            browserHash: browser.hash,
            hash,
            countedAtMs: attempt.countedAtMs,
            requestedTrialPlan: body.requested_trial_plan ?? null,
            presentedCookie: readSessionCookie(headers),
            origin: { clientAddress: request.clientAddress, userAgent: headers['user-agent'] },
          }),
        );
  if (signIn === null) {
    await auditFailedSignIn(database, request, { method: 'email', reason: 'invalid_code' });
    throw new Problem('invalid_code');
  }
  await auditSignIn(database, request, { ...signIn, method: 'email' });
  if (signIn.startedTrial !== null) {
    const { userId, organizationId } = signIn.person;
    await recordAudit(database, request, {
      action: 'billing.trial_started',
      actorUserId: userId,
      organizationId,
      data: { plan: signIn.startedTrial },
    });
  }
  return {
    session: await getSession(runtime, signIn.session.sessionId),
    secret: signIn.session.secret,
  };
}

/** Returns null when the code was used at the same moment, or the address has no account and can no longer get one. */
async function signInWithCode(
  transaction: Transaction,
  runtime: Runtime,
  request: {
    email: string;
    browserHash: Buffer;
    hash: Buffer;
    countedAtMs: number;
    requestedTrialPlan: TrialPlan | null;
    presentedCookie: string | null;
    origin: SessionOrigin;
  },
): Promise<{ person: SignedInPerson; session: NewSession; startedTrial: TrialPlan | null } | null> {
  const { email } = request;
  const consumed = await consumeCode(transaction, request);
  if (consumed === null) return null;
  const person = await findOrCreateAccount(transaction, runtime, { email, method: 'email' });
  if (person === null) return null;
  const trialPlan = request.requestedTrialPlan ?? consumed.requestedTrialPlan;
  const isTrialStarted =
    trialPlan !== null &&
    person.isNewAccount &&
    person.isNewOrganization &&
    (await startTrial(transaction, runtime.plans, person.organizationId, trialPlan));
  const session = await createSession(transaction, {
    ...person,
    presentedCookie: request.presentedCookie,
    origin: request.origin,
  });
  return { person, session, startedTrial: isTrialStarted ? trialPlan : null };
}
