import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { finishGithubSignIn as endpoint, GithubSignInFailure } from '@culprit/contract/workspace/github';
import { invalidQuery } from '../../../platform/http/binding/invalid-query.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { type AuditContext, auditFailedSignIn, auditSignIn } from '../audit-sign-in.ts';
import { createSession, type NewSession, type SessionOrigin } from '../create-session.ts';
import { clearedStateCookie, codeVerifierOf, ownStateHash } from '../oauth-state.ts';
import { consumeProviderSignIn } from '../provider-sign-ins.queries.ts';
import { readSessionCookie, sessionCookies } from '../session-secrets.ts';
import type { SignedInPerson } from '../sign-in-person.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { GITHUB_COOKIE, type GithubRuntime } from './github-runtime.ts';
import { logGithubFailure } from './log-github-failure.ts';
import { IdentityRefusedError, readIdentity, signInGithubPerson } from './sign-in-github-person.ts';

/** The next location of the browser, and its cookies. */
interface GithubRedirect {
  location: string;
  cookies: string[];
}

/**
 * Checks that a callback can be GitHub's.
 * @throws Problem `invalid_query`
 */
export function checkCallback(
  { githubOauth }: GithubRuntime,
  { query }: { query: QueryOf<typeof endpoint> },
): void {
  const { code, error, iss } = query;
  if (code === undefined && error === undefined) throw invalidQuery('code', 'is missing');
  if (iss !== undefined && iss !== githubOauth.issuer)
    throw invalidQuery('iss', 'is not the address of GitHub');
}

/**
 * Ends a browser sign-in (docs/contract/account.md 3.2): consumes the state, exchanges the code, finds or makes the
 * account, starts a session. What a person can do nothing about here is a page of the dashboard with a word for it.
 * @throws Problem `rate_limited`, `invalid_oauth_state`, and then GitHub was not asked
 */
export async function finishGithubSignIn(
  runtime: GithubRuntime,
  request: ApiRequest<typeof endpoint, void>,
): Promise<GithubRedirect> {
  const { headers } = request;
  const { code, state, error } = request.query;
  const { isCookieSecure } = runtime.signIn;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  // No other browser can use up a state.
  const hash = ownStateHash(GITHUB_COOKIE, state, headers, isCookieSecure);
  const signIn = hash === null ? null : await consumeProviderSignIn(runtime.database, 'github', hash);
  if (state === undefined || signIn === null) {
    await auditFailedSignIn(runtime.database, request, { method: 'github', reason: 'invalid_oauth_state' });
    throw new Problem('invalid_oauth_state');
  }
  const outcome =
    code === undefined || error !== undefined
      ? failureOf(error, request)
      : await signInWithCode(
          runtime,
          {
            code,
            state,
            presentedCookie: readSessionCookie(headers),
            origin: { clientAddress: request.clientAddress, userAgent: headers['user-agent'] },
          },
          request,
        );
  if (typeof outcome === 'string') {
    await auditFailedSignIn(runtime.database, request, { method: 'github', reason: outcome });
    return {
      location: `${runtime.appUrl}/login?error=${outcome}`,
      cookies: [clearedStateCookie(GITHUB_COOKIE, isCookieSecure)],
    };
  }
  await auditSignIn(runtime.database, request, { ...outcome, method: 'github' });
  return {
    // Written as an address, so that a path with letters beyond ASCII is a sound header.
    location: new URL(runtime.appUrl + signIn.returnTo).href,
    cookies: [
      ...sessionCookies(outcome.session.secret.reveal(), isCookieSecure),
      clearedStateCookie(GITHUB_COOKIE, isCookieSecure),
    ],
  };
}

/** GitHub sent the browser back without a code. Anything but the person's own no is a fault of the set-up. */
function failureOf(error: string | undefined, context: AuditContext): GithubSignInFailure {
  if (error === 'access_denied') return 'github_cancelled';
  logGithubFailure(context.log, new ProviderUnavailableError(error ?? ''));
  return 'github_unavailable';
}

async function signInWithCode(
  runtime: GithubRuntime,
  request: { code: string; state: string; presentedCookie: string | null; origin: SessionOrigin },
  context: AuditContext,
): Promise<{ person: SignedInPerson; session: NewSession } | GithubSignInFailure> {
  try {
    const accessToken = await runtime.githubOauth.exchangeCode({
      code: request.code,
      redirectUri: runtime.githubCallbackUrl,
      codeVerifier: codeVerifierOf(runtime.keys.githubPkce, request.state),
    });
    const user = await runtime.githubApi.readUser(accessToken);
    if (user === null) throw new ProviderUnavailableError('new_token_refused');
    const identity = await readIdentity(runtime.githubApi, user, accessToken);
    return await runtime.database.transaction(async (transaction) => {
      const person = await signInGithubPerson(transaction, runtime, identity);
      const { presentedCookie, origin } = request;
      return { person, session: await createSession(transaction, { ...person, presentedCookie, origin }) };
    });
  } catch (error) {
    if (error instanceof IdentityRefusedError) return error.reason;
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logGithubFailure(context.log, error);
    return 'github_unavailable';
  }
}
