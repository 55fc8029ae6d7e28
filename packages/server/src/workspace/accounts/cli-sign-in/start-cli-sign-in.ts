import { randomUUID } from 'node:crypto';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { startCliSignIn as endpoint } from '@culprit/contract/workspace/cli-sign-in';
import type { DeviceRequest } from '@culprit/contract/workspace/github';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { addressClass } from '../../audit/record-audit.ts';
import { requestIdHash } from '../request-id-hash.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { insertCliSignIn } from './cli-sign-ins.queries.ts';
import { CLI_POLL_SECONDS } from './poll-cli-sign-in.ts';
import { createUserCode, userCodeHash } from './user-code.ts';

const TRIES_MAX = 5;

/**
 * Begins the sign-in of a program (docs/contract/team-workflow.md 9.5): it gets an id as its proof, and a code to show.
 * @throws Problem `rate_limited`
 */
export async function startCliSignIn(
  runtime: Runtime,
  { clientAddress, checked: label }: ApiRequest<typeof endpoint, string>,
): Promise<DeviceRequest> {
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // Version 4: all of it is random, where the ids of records contain their time.
    const requestId = randomUUID();
    const userCode = createUserCode();
    const [requestHash, codeHash] = [requestIdHash(requestId), userCodeHash(userCode)];
    if (requestHash === null || codeHash === null) throw new Error('a new sign-in of a program has no hash');
    const expiresAtMs = await insertCliSignIn(runtime.database, {
      requestHash,
      userCodeHash: codeHash,
      label,
      addressClass: addressClass(clientAddress),
    });
    if (expiresAtMs === null) continue;
    return {
      request_id: requestId,
      user_code: userCode,
      verification_uri: `${runtime.appUrl}/cli`,
      interval_seconds: CLI_POLL_SECONDS,
      expires_at: formatTimestamp(expiresAtMs),
    };
  }
  throw new Error('no free code was found');
}
