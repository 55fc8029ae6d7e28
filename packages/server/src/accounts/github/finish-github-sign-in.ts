import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { QueryOf } from '@culprit/contract/endpoint';
import type { finishGithubSignIn as endpoint, GithubSignInFailure } from '@culprit/contract/github';
import { readCookie } from '../../platform/http/cookies.ts';
import { Problem } from '../../platform/http/problem.ts';
import { ProviderUnavailableError } from '../../platform/provider-request.ts';
import { type AuditContext, auditFailedSignIn, auditSignIn } from '../audit-sign-in.ts';
import { createSession, type NewSession } from '../create-session.ts';
import { readSessionCookie, sessionCookie } from '../session-secrets.ts';
import type { SignedInPerson } from '../sign-in-person.ts';
import { takeSignInTurn } from '../sign-in-rate.ts';
import { takeGithubSignIn } from './github.queries.ts';
import type { GithubRoom } from './github-room.ts';
import { logGithubFailure } from './log-github-failure.ts';
import { clearedOauthCookie, codeVerifierOf, OAUTH_COOKIE, stateHash } from './oauth-state.ts';
import { IdentityRefusedError, readIdentity, signInGithubPerson } from './sign-in-github-person.ts';

/** Where the browser goes next, and what it keeps. */
export interface GithubRedirect {
  location: string;
  cookies: string[];
}

/**
 * Ends a browser sign-in (account.md 3.2): consumes the state, exchanges the code, finds or makes the account, starts a
 * session. What a person can do nothing about here is a page of the dashboard with a word for it.
 * @throws Problem `invalid_query`, `rate_limited`, `invalid_oauth_state`, and then GitHub was not asked
 */
export async function finishGithubSignIn(
  room: GithubRoom,
  query: QueryOf<typeof endpoint>,
  headers: IncomingHttpHeaders,
  context: AuditContext,
): Promise<GithubRedirect> {
  const { code, state, error, iss } = query;
  const { isCookieSecure } = room.settings;
  if (code === undefined && error === undefined) throw new Problem('invalid_query');
  if (iss !== undefined && iss !== room.oauth.issuer) throw new Problem('invalid_query');
  await takeSignInTurn(room.database, room.settings, 'sign_in', context.clientAddress);
  const signIn = await consumeState(room, state, headers);
  if (state === undefined || signIn === null) {
    await auditFailedSignIn(room.database, context, { method: 'github', reason: 'invalid_oauth_state' });
    throw new Problem('invalid_oauth_state');
  }
  const outcome =
    code === undefined || error !== undefined
      ? failureOf(error, context)
      : await signInWithCode(room, { code, state, presentedCookie: readSessionCookie(headers) }, context);
  if (typeof outcome === 'string') {
    await auditFailedSignIn(room.database, context, { method: 'github', reason: outcome });
    return {
      location: `${room.appUrl}/login?error=${outcome}`,
      cookies: [clearedOauthCookie(isCookieSecure)],
    };
  }
  await auditSignIn(room.database, context, { ...outcome, method: 'github' });
  return {
    // Written as an address, so that a path with letters beyond ASCII is a sound header.
    location: new URL(room.appUrl + signIn.returnTo).href,
    cookies: [
      sessionCookie(outcome.session.secret.reveal(), isCookieSecure),
      clearedOauthCookie(isCookieSecure),
    ],
  };
}

/** The sign-in that this browser began with this state; null in every other case. Nobody else can use up a state. */
async function consumeState(
  room: GithubRoom,
  state: string | undefined,
  headers: IncomingHttpHeaders,
): Promise<{ returnTo: string } | null> {
  const kept = readCookie(headers.cookie, OAUTH_COOKIE);
  if (state === undefined || kept === null) return null;
  const [given, expected] = [stateHash(state), stateHash(kept)];
  return timingSafeEqual(given, expected) ? await takeGithubSignIn(room.database, given) : null;
}

/** GitHub sent the browser back without a code. Anything but the person's own no is a fault of the set-up. */
function failureOf(error: string | undefined, context: AuditContext): GithubSignInFailure {
  if (error === 'access_denied') return 'github_cancelled';
  logGithubFailure(context.log, new ProviderUnavailableError(error ?? ''));
  return 'github_unavailable';
}

async function signInWithCode(
  room: GithubRoom,
  request: { code: string; state: string; presentedCookie: string | null },
  context: AuditContext,
): Promise<{ person: SignedInPerson; session: NewSession } | GithubSignInFailure> {
  try {
    const accessToken = await room.oauth.exchangeCode({
      code: request.code,
      redirectUri: room.callbackUrl,
      codeVerifier: codeVerifierOf(room.verifierKey, request.state),
    });
    const user = await room.api.readUser(accessToken);
    if (user === null) throw new ProviderUnavailableError('new_token_refused');
    const identity = await readIdentity(room.api, user, accessToken);
    return await room.database.transaction(async (transaction) => {
      const person = await signInGithubPerson(transaction, room, identity);
      const { presentedCookie } = request;
      return { person, session: await createSession(transaction, { ...person, presentedCookie }) };
    });
  } catch (error) {
    if (error instanceof IdentityRefusedError) return error.reason;
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logGithubFailure(context.log, error);
    return 'github_unavailable';
  }
}
