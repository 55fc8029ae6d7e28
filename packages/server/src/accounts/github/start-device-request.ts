import { randomUUID } from 'node:crypto';
import type { DeviceRequest } from '@culprit/contract/github';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { Problem } from '../../platform/http/problem.ts';
import { ProviderUnavailableError } from '../../platform/provider-request.ts';
import { sealText } from '../../platform/sealed-text.ts';
import type { AuditContext } from '../audit-sign-in.ts';
import { takeSignInTurn } from '../sign-in-rate.ts';
import { deviceRequestHash } from './device-request.ts';
import { insertDeviceRequest } from './device-requests.queries.ts';
import type { GithubRoom } from './github-room.ts';
import { logGithubFailure } from './log-github-failure.ts';

/**
 * Begins a sign-in on a device without a browser (account.md 3.4). GitHub's device code stays here, encrypted; its
 * holder gets an id of ours that is as secret.
 * @throws Problem `rate_limited`, `github_unavailable`
 */
export async function startDeviceRequest(room: GithubRoom, context: AuditContext): Promise<DeviceRequest> {
  await takeSignInTurn(room.database, room.settings, 'sign_in', context.clientAddress);
  const grant = await room.oauth.startDevice().catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logGithubFailure(context.log, error);
    throw new Problem('github_unavailable');
  });
  // Version 4: all of it is random, where the ids of records tell their time.
  const requestId = randomUUID();
  const requestHash = deviceRequestHash(requestId);
  if (requestHash === null) throw new Error('a new device request has no hash');
  const expiresAtMs = await insertDeviceRequest(room.database, {
    requestHash,
    sealedDeviceCode: sealText(room.deviceCodeKey, grant.deviceCode.reveal(), requestHash),
    intervalSeconds: grant.intervalSeconds,
    expiresInSeconds: grant.expiresInSeconds,
  });
  return {
    request_id: requestId,
    user_code: grant.userCode,
    verification_uri: grant.verificationUri,
    interval_seconds: grant.intervalSeconds,
    expires_at: formatTimestamp(expiresAtMs),
  };
}
