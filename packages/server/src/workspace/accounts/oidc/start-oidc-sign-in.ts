import type { startOidcSignIn as endpoint } from '@culprit/contract/workspace/oidc';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { codeVerifierOf, createState, stateCookie, stateHash } from '../oauth-state.ts';
import { insertProviderSignIn } from '../provider-sign-ins.queries.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { failurePage, logOidcFailure } from './oidc-failure.ts';
import { nonceOf } from './oidc-nonce.ts';
import { OIDC_COOKIE, type OidcRuntime } from './oidc-runtime.ts';

/**
 * Begins a browser sign-in (docs/contract/team-workflow.md 9.2).
 * @returns where to send the browser, and the cookie it keeps until it returns; none when the provider does not answer
 * @throws Problem `rate_limited`
 */
export async function startOidcSignIn(
  runtime: OidcRuntime,
  { query, clientAddress, log }: ApiRequest<typeof endpoint>,
): Promise<{ location: string; cookie: string | null }> {
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const state = createState();
  const key = runtime.keys.oidcSignIns;
  try {
    const location = await runtime.oidcProvider.authorizeUrl({
      redirectUri: runtime.oidcCallbackUrl,
      state,
      codeVerifier: codeVerifierOf(key, state),
      nonce: nonceOf(key, state),
    });
    await insertProviderSignIn(runtime.database, {
      method: 'oidc',
      stateHash: stateHash(state),
      returnTo: query.return_to ?? '/',
    });
    return { location, cookie: stateCookie(OIDC_COOKIE, state, runtime.signIn.isCookieSecure) };
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logOidcFailure(log, error);
    return { location: failurePage(runtime, 'oidc_unavailable'), cookie: null };
  }
}
