import type { startGithubSignIn as endpoint } from '@culprit/contract/workspace/github';
import type { ApiRequest } from '../../access/api-callers.ts';
import { codeVerifierOf, createState, stateCookie, stateHash } from '../oauth-state.ts';
import { insertProviderSignIn } from '../provider-sign-ins.queries.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { GITHUB_COOKIE, type GithubRuntime } from './github-runtime.ts';

/**
 * Starts a browser sign-in (docs/contract/account.md 3.2).
 * @returns the address for the browser, and the cookie it keeps during the sign-in
 * @throws Problem `rate_limited`
 */
export async function startGithubSignIn(
  runtime: GithubRuntime,
  { query, clientAddress }: ApiRequest<typeof endpoint>,
): Promise<{ location: string; cookie: string }> {
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const state = createState();
  const location = await runtime.githubOauth.authorizeUrl({
    redirectUri: runtime.githubCallbackUrl,
    state,
    codeVerifier: codeVerifierOf(runtime.keys.githubPkce, state),
  });
  await insertProviderSignIn(runtime.database, {
    method: 'github',
    stateHash: stateHash(state),
    returnTo: query.return_to ?? '/',
  });
  return { location, cookie: stateCookie(GITHUB_COOKIE, state, runtime.signIn.isCookieSecure) };
}
