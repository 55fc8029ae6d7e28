import type { readInvite as endpoint } from '@culprit/contract/workspace/invites';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { limitSignInRequests } from '../accounts/sign-in-rate.ts';
import { isTokenShaped, tokenHash } from '../tokens/token.ts';
import { findOffer } from './invites.queries.ts';

/**
 * Answers what the mail with the invite says to its reader, who need not be signed in (docs/contract/account.md 5).
 * @throws Problem `rate_limited`, `invalid_token` for every token that acceptance would refuse so
 */
export async function readInvite(runtime: Runtime, request: ApiRequest<typeof endpoint>) {
  const { token } = request.body;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const offer = isTokenShaped('invite', token) ? await findOffer(runtime.database, tokenHash(token)) : null;
  if (offer === null) throw new Problem('invalid_token');
  return offer;
}
