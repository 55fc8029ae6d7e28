import type { claimDeviceRequest as endpoint } from '@culprit/contract/workspace/github';
import type { CreatedMemberToken } from '@culprit/contract/workspace/tokens';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { createMemberToken } from '../../tokens/create-member-token.ts';
import { auditSignInToken } from '../audit-sign-in-token.ts';
import { requestIdHash } from '../request-id-hash.ts';
import { signInKnownPerson } from '../sign-in-person.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { claimApprovedRequest, findDeviceRequest } from './device-requests.queries.ts';
import type { GithubRuntime } from './github-runtime.ts';

/**
 * Turns an approved device request into a member token (docs/contract/account.md 3.4). The claim and the token are one
 * transaction: of parallel claims one wins, and a claim that fails for another reason leaves the request as it was.
 * @throws Problem `rate_limited`, `device_request_not_found`, `device_request_not_claimable`, `resource_limit_reached`
 */
export async function claimDeviceRequest(
  runtime: GithubRuntime,
  request: ApiRequest<typeof endpoint, string>,
): Promise<CreatedMemberToken> {
  const { body, checked: label } = request;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const requestHash = requestIdHash(body.request_id);
  if (requestHash === null) throw new Problem('device_request_not_found');
  const { record, plaintext } = await runtime.database.transaction(async (transaction) => {
    const claimed = await claimApprovedRequest(transaction, requestHash);
    if (claimed === null) {
      const isKnown = (await findDeviceRequest(transaction, requestHash)) !== null;
      throw new Problem(isKnown ? 'device_request_not_claimable' : 'device_request_not_found');
    }
    const { userId, organizationId } = await signInKnownPerson(transaction, runtime, {
      userId: claimed.userId,
      method: 'github',
    });
    return await createMemberToken(transaction, { userId, organizationId, label });
  });
  await auditSignInToken(runtime.database, request, record, 'device');
  return { ...record, plaintext };
}
