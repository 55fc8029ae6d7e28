import { normalizeEmail } from '@culprit/contract/email-address';
import type { Session } from '@culprit/contract/sign-in';
import { recordAudit } from '../audit/record-audit.ts';
import { startTrial } from '../billing/start-trial.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Secret } from '../platform/secret.ts';
import { type AuditContext, auditFailedSignIn, auditSignIn } from './audit-sign-in.ts';
import { createSession, type NewSession } from './create-session.ts';
import { codeHash, isSameHash } from './mailed-code.ts';
import { readSession } from './read-session.ts';
import { consumeCode, countAttempt } from './sign-in-codes.queries.ts';
import { findOrCreateAccount, type SignedInPerson } from './sign-in-person.ts';
import { takeSignInTurn } from './sign-in-rate.ts';
import type { SignInRoom } from './sign-in-room.ts';

type TrialPlan = 'solo' | 'team';

/**
 * Signs in with a mailed code (account.md 2.3): consumes the code, makes the account if need be, starts a session. The
 * try is counted in the database before anything is compared. All ways to fail look the same.
 * @param request.presentedCookie value of the request's session cookie; that session ends with a success
 * @throws Problem `invalid_payload`, `auth_not_configured`, `rate_limited`, `invalid_code`
 */
export async function verifyCode(
  room: SignInRoom,
  request: {
    email: string;
    code: string;
    requestedTrialPlan: TrialPlan | null;
    presentedCookie: string | null;
  },
  context: AuditContext,
): Promise<{ session: Session; secret: Secret }> {
  const { database, settings } = room;
  const email = normalizeEmail(request.email);
  if (email === null) throw new Problem('invalid_payload');
  if (!settings.isMailConfigured) throw new Problem('auth_not_configured');
  await takeSignInTurn(database, settings, 'sign_in', context.clientAddress);
  const attempt = await countAttempt(database, email);
  const given = codeHash(room.codeKey, 'sign_in', email, request.code);
  const isRight = isSameHash(attempt?.liveHash ?? null, given);
  const signIn =
    attempt === null || !isRight
      ? null
      : await database.transaction((transaction) =>
          signInWithCode(transaction, room, { ...request, email, hash: given, ...attempt }),
        );
  if (signIn === null) {
    await auditFailedSignIn(database, context, { method: 'email', reason: 'invalid_code' });
    throw new Problem('invalid_code');
  }
  await auditSignIn(database, context, { ...signIn, method: 'email' });
  if (signIn.startedTrial !== null) {
    const { userId, organizationId } = signIn.person;
    await recordAudit(database, context, {
      action: 'billing.trial_started',
      actorUserId: userId,
      organizationId,
      data: { plan: signIn.startedTrial },
    });
  }
  return {
    session: await readSession(database, room, signIn.session.sessionId),
    secret: signIn.session.secret,
  };
}

/** Null when the code was used meanwhile, or the address has no account and may not get one any more. */
async function signInWithCode(
  transaction: Queryable,
  room: SignInRoom,
  request: {
    email: string;
    hash: Buffer;
    countedAtMs: number;
    requestedTrialPlan: TrialPlan | null;
    presentedCookie: string | null;
  },
): Promise<{ person: SignedInPerson; session: NewSession; startedTrial: TrialPlan | null } | null> {
  const { email } = request;
  const consumed = await consumeCode(transaction, email, request.hash, request.countedAtMs);
  if (consumed === null) return null;
  const person = await findOrCreateAccount(transaction, room, { email, method: 'email' });
  if (person === null) return null;
  const trialPlan = request.requestedTrialPlan ?? consumed.requestedTrialPlan;
  const isTrialStarted =
    trialPlan !== null &&
    person.isNewAccount &&
    person.isNewOrganization &&
    (await startTrial(transaction, room.plans, person.organizationId, trialPlan));
  const session = await createSession(transaction, { ...person, presentedCookie: request.presentedCookie });
  return { person, session, startedTrial: isTrialStarted ? trialPlan : null };
}
