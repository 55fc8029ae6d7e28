import * as signIn from '@culprit/contract/sign-in';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { SessionCaller } from './authenticate-session.ts';
import { endSession } from './end-session.ts';
import { readSession } from './read-session.ts';
import { requestCode } from './request-code.ts';
import { clearedSessionCookie, readSessionCookie, sessionCookie } from './session-secrets.ts';
import type { SignInRoom } from './sign-in-room.ts';
import { verifyCode } from './verify-code.ts';

/** Sign-in by mailed code, and the browser session (account.md 2.1). */
export function bindSignInRoutes<C extends Callers & { session: SessionCaller }>(
  binder: Binder<C>,
  room: SignInRoom,
): void {
  const { isCookieSecure } = room.settings;

  binder.bind(signIn.requestSignInCode).to(async ({ body, clientAddress }) => {
    const { email, requested_trial_plan: requestedTrialPlan = null } = body;
    await requestCode(room, { email, requestedTrialPlan, clientAddress });
    return { status: 200, body: { success: true } };
  });
  binder.bind(signIn.verifySignInCode).to(async ({ body, headers, log, clientAddress }) => {
    const { email, code, requested_trial_plan: requestedTrialPlan = null } = body;
    const { session, secret } = await verifyCode(
      room,
      { email, code, requestedTrialPlan, presentedCookie: readSessionCookie(headers) },
      { log, clientAddress },
    );
    return {
      status: 200,
      headers: { 'set-cookie': sessionCookie(secret.reveal(), isCookieSecure) },
      body: { session },
    };
  });
  binder.bind(signIn.getSession).to(async ({ caller }) => ({
    status: 200,
    body: { session: await readSession(room.database, room, caller.sessionId) },
  }));
  binder.bind(signIn.logOut).to(async ({ caller, log, clientAddress }) => {
    await endSession(room.database, caller, { log, clientAddress });
    return {
      status: 200,
      headers: { 'set-cookie': clearedSessionCookie(isCookieSecure) },
      body: { success: true },
    };
  });
}
