import type { CreatedMemberToken } from '@culprit/contract/tokens';
import { Problem } from '../../platform/http/problem.ts';
import { createMemberToken } from '../../tokens/create-member-token.ts';
import { readTokenLabel } from '../../tokens/label.ts';
import type { AuditContext } from '../audit-sign-in.ts';
import { signInKnownPerson } from '../sign-in-person.ts';
import { takeSignInTurn } from '../sign-in-rate.ts';
import { auditGithubToken } from './audit-github-token.ts';
import { deviceRequestHash } from './device-request.ts';
import { claimApprovedRequest, findDeviceRequest } from './device-requests.queries.ts';
import type { GithubRoom } from './github-room.ts';

/**
 * Turns an approved device request into a member token (account.md 3.4). The claim and the token are one transaction:
 * of parallel claims one wins, and a claim that fails for another reason leaves the request as it was.
 * @throws Problem `invalid_payload` for the label, `rate_limited`, `device_request_not_found`,
 *   `device_request_not_claimable`, `resource_limit_reached`
 */
export async function claimDeviceRequest(
  room: GithubRoom,
  request: { requestId: string; label: string },
  context: AuditContext,
): Promise<CreatedMemberToken> {
  const label = readTokenLabel(request.label);
  await takeSignInTurn(room.database, room.settings, 'sign_in', context.clientAddress);
  const requestHash = deviceRequestHash(request.requestId);
  if (requestHash === null) throw new Problem('device_request_not_found');
  const { record, plaintext } = await room.database.transaction(async (transaction) => {
    const claimed = await claimApprovedRequest(transaction, requestHash);
    if (claimed === null) {
      const isKnown = (await findDeviceRequest(transaction, requestHash)) !== null;
      throw new Problem(isKnown ? 'device_request_not_claimable' : 'device_request_not_found');
    }
    const { userId, organizationId } = await signInKnownPerson(transaction, room, {
      userId: claimed.userId,
      method: 'github',
    });
    return await createMemberToken(transaction, { userId, organizationId, label });
  });
  await auditGithubToken(room.database, context, record, 'device');
  return { ...record, plaintext };
}
