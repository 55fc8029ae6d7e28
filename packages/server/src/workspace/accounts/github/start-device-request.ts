import { randomUUID } from 'node:crypto';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { DeviceRequest, startDeviceRequest as endpoint } from '@culprit/contract/workspace/github';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import { sealText } from '../../../platform/secrets/sealed-text.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { requestIdHash } from '../request-id-hash.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { insertDeviceRequest } from './device-requests.queries.ts';
import type { GithubRuntime } from './github-runtime.ts';
import { logGithubFailure } from './log-github-failure.ts';

/**
 * Begins a sign-in on a device without a browser (docs/contract/account.md 3.4). GitHub's device code stays here,
 * encrypted; its holder gets an id of ours that is as secret.
 * @throws Problem `rate_limited`, `github_unavailable`
 */
export async function startDeviceRequest(
  runtime: GithubRuntime,
  { log, clientAddress }: ApiRequest<typeof endpoint>,
): Promise<DeviceRequest> {
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const grant = await runtime.githubOauth.startDevice().catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logGithubFailure(log, error);
    throw new Problem('github_unavailable');
  });
  // Version 4 is entirely random, while the ids of records contain their time.
  const requestId = randomUUID();
  const requestHash = requestIdHash(requestId);
  if (requestHash === null) throw new Error('a new device request has no hash');
  const expiresAtMs = await insertDeviceRequest(runtime.database, {
    requestHash,
    sealedDeviceCode: sealText(
      runtime.keys.githubDeviceCodes.reveal(),
      grant.deviceCode.reveal(),
      requestHash,
    ),
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
