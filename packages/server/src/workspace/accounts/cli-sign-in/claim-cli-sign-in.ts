import type { claimCliSignIn as endpoint } from '@culprit/contract/workspace/cli-sign-in';
import type { CreatedMemberToken } from '@culprit/contract/workspace/tokens';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { createMemberToken } from '../../tokens/create-member-token.ts';
import { auditSignInToken } from '../audit-sign-in-token.ts';
import { organizationOfPerson } from '../organization-of-person.ts';
import { requestIdHash } from '../request-id-hash.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { claimApprovedCliSignIn, findCliSignIn } from './cli-sign-ins.queries.ts';

/**
 * Turns an approved sign-in of a program into a member token (docs/contract/team-workflow.md 9.5). The claim and the
 * token are one transaction: of parallel claims one wins.
 * @throws Problem `rate_limited`, `device_request_not_found`, `device_request_not_claimable`, `resource_limit_reached`
 */
export async function claimCliSignIn(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<CreatedMemberToken> {
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  const hash = requestIdHash(request.body.request_id);
  if (hash === null) throw new Problem('device_request_not_found');
  const { record, plaintext } = await runtime.database.transaction(async (transaction) => {
    const claimed = await claimApprovedCliSignIn(transaction, hash);
    if (claimed === null) {
      const isKnown = (await findCliSignIn(transaction, hash)) !== null;
      throw new Problem(isKnown ? 'device_request_not_claimable' : 'device_request_not_found');
    }
    const organizationId = await organizationOfPerson(transaction, runtime.plans, claimed.userId);
    return await createMemberToken(transaction, { ...claimed, organizationId });
  });
  await auditSignInToken(runtime.database, request, record, 'browser');
  return { ...record, plaintext };
}
