import * as signIn from '@culprit/contract/workspace/sign-in';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { endSession } from './end-session.ts';
import { getSession } from './get-session.ts';
import { endOwnSession, listSessions } from './own-sessions.ts';
import { checkMailAddress, requestCode } from './request-code.ts';
import { clearedSessionCookies, sessionCookies } from './session-secrets.ts';
import { verifyCode } from './verify-code.ts';

/** Sign-in by mailed code, and the browser session (docs/contract/account.md 2.1). */
export function bindSignInRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  const { isCookieSecure } = runtime.signIn;

  binder
    .bind(signIn.requestSignInCode)
    .checked(checkMailAddress)
    .to(async (request) => {
      const cookie = await requestCode(runtime, request);
      return { status: 200, headers: { 'set-cookie': cookie }, body: { success: true } };
    });
  binder
    .bind(signIn.verifySignInCode)
    .checked(checkMailAddress)
    .to(async (request) => {
      const { session, secret } = await verifyCode(runtime, request);
      return {
        status: 200,
        headers: { 'set-cookie': sessionCookies(secret.reveal(), isCookieSecure) },
        body: { session },
      };
    });
  binder.bind(signIn.getSession).answers(({ caller }) => getSession(runtime, caller.sessionId));
  binder.bind(signIn.logOut).to(async (request) => {
    await endSession(runtime, request);
    return {
      status: 200,
      headers: { 'set-cookie': clearedSessionCookies(isCookieSecure) },
      body: { success: true },
    };
  });
  binder.bind(signIn.listSessions).answers((request) => listSessions(runtime, request));
  binder.bind(signIn.endOwnSession).to(async (request) => {
    await endOwnSession(runtime, request);
    return { status: 200, body: { success: true } };
  });
}
