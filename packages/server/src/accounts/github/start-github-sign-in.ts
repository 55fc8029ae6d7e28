import { takeSignInTurn } from '../sign-in-rate.ts';
import { insertGithubSignIn } from './github.queries.ts';
import type { GithubRoom } from './github-room.ts';
import { codeVerifierOf, createState, oauthCookie, stateHash } from './oauth-state.ts';

/**
 * Begins a browser sign-in (account.md 3.2).
 * @param request.returnTo a path of the dashboard, checked by its schema
 * @returns where to send the browser, and the cookie it keeps meanwhile
 * @throws Problem `rate_limited`
 */
export async function startGithubSignIn(
  room: GithubRoom,
  request: { returnTo: string; clientAddress: string },
): Promise<{ location: string; cookie: string }> {
  await takeSignInTurn(room.database, room.settings, 'sign_in', request.clientAddress);
  const state = createState();
  const location = await room.oauth.authorizeUrl({
    redirectUri: room.callbackUrl,
    state,
    codeVerifier: codeVerifierOf(room.verifierKey, state),
  });
  await insertGithubSignIn(room.database, { stateHash: stateHash(state), returnTo: request.returnTo });
  return { location, cookie: oauthCookie(state, room.settings.isCookieSecure) };
}
