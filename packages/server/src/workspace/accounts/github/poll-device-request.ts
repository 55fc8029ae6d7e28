import type { DeviceRequestState, pollDeviceRequest as endpoint } from '@culprit/contract/workspace/github';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import { openSealedText } from '../../../platform/secrets/sealed-text.ts';
import { Secret } from '../../../platform/secrets/secret.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { type AuditContext, auditFailedSignIn, auditSignIn } from '../audit-sign-in.ts';
import { requestIdHash } from '../request-id-hash.ts';
import type { SignedInPerson } from '../sign-in-person.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { deviceRequestState } from './device-request.ts';
import {
  beginDevicePoll,
  decideDeviceRequest,
  endDevicePoll,
  findDeviceRequest,
  lockPendingDeviceRequest,
} from './device-requests.queries.ts';
import type { DeviceAnswer } from './github-oauth.ts';
import type { GithubRuntime } from './github-runtime.ts';
import { logGithubFailure } from './log-github-failure.ts';
import {
  type GithubIdentity,
  IdentityRefusedError,
  readIdentity,
  signInGithubPerson,
} from './sign-in-github-person.ts';

/** RFC 8628 section 3.5: what a `slow_down` adds. */
const SLOW_DOWN_SECONDS = 5;
/** Asking for the token, for person and address at most twice each, and the decision behind them. */
const STEPS_OF_A_TURN = 6;

/**
 * Returns the state of a device request (docs/contract/account.md 3.4). One poll per interval calls GitHub, and makes
 * the decision when the person has answered there; every other poll returns what is known.
 * @throws Problem `rate_limited`, `device_request_not_found`, `github_unavailable`
 */
export async function pollDeviceRequest(
  runtime: GithubRuntime,
  request: ApiRequest<typeof endpoint>,
): Promise<DeviceRequestState> {
  const { database } = runtime;
  await limitSignInRequests(runtime, 'device_poll', request.clientAddress);
  const requestHash = requestIdHash(request.body.request_id);
  const known = requestHash === null ? null : await findDeviceRequest(database, requestHash);
  if (requestHash === null || known === null) throw new Problem('device_request_not_found');
  const turnSeconds = Math.ceil((STEPS_OF_A_TURN * runtime.github.requestTimeoutMs) / 1000);
  const turn = await beginDevicePoll(database, requestHash, turnSeconds);
  if (turn === null) return deviceRequestState(known);
  try {
    await useTurn(runtime, { requestHash, ...turn }, request);
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logGithubFailure(request.log, error);
    await endDevicePoll(database, requestHash, { raiseBySeconds: 0, leastSeconds: 0 });
    throw new Problem('github_unavailable');
  }
  const decided = await findDeviceRequest(database, requestHash);
  if (decided === null) throw new Problem('device_request_not_found');
  return deviceRequestState(decided);
}

interface Turn {
  requestHash: Buffer;
  sealedDeviceCode: Buffer;
}

async function useTurn(runtime: GithubRuntime, turn: Turn, context: AuditContext): Promise<void> {
  const { requestHash, sealedDeviceCode } = turn;
  const deviceCode = openSealedText(runtime.keys.githubDeviceCodes.reveal(), sealedDeviceCode, requestHash);
  // The data key has changed since, so the state of this device code can no longer be requested.
  const answer: DeviceAnswer =
    deviceCode === null ? { kind: 'expired' } : await runtime.githubOauth.askDevice(new Secret(deviceCode));
  switch (answer.kind) {
    case 'pending':
      return await endDevicePoll(runtime.database, requestHash, { raiseBySeconds: 0, leastSeconds: 0 });
    case 'slow_down':
      return await endDevicePoll(runtime.database, requestHash, {
        raiseBySeconds: SLOW_DOWN_SECONDS,
        leastSeconds: answer.intervalSeconds ?? 0,
      });
    case 'expired':
      return await decideDeviceRequest(runtime.database, requestHash, { status: 'expired' });
    case 'denied':
      await decideDeviceRequest(runtime.database, requestHash, { status: 'denied' });
      return await auditFailedSignIn(runtime.database, context, {
        method: 'github',
        reason: 'access_denied',
      });
    case 'granted':
      return await decideIdentity(runtime, requestHash, answer.accessToken, context);
  }
}

/** The person agreed at GitHub; now it is decided whether they may sign in here. */
async function decideIdentity(
  runtime: GithubRuntime,
  requestHash: Buffer,
  accessToken: Secret,
  context: AuditContext,
): Promise<void> {
  const user = await runtime.githubApi.readUser(accessToken);
  if (user === null) throw new ProviderUnavailableError('new_token_refused');
  const identity = await readIdentity(runtime.githubApi, user, accessToken);
  try {
    const person = await approve(runtime, requestHash, identity);
    if (person !== null)
      await auditSignIn(runtime.database, context, { person, method: 'github', session: null });
  } catch (error) {
    if (!(error instanceof IdentityRefusedError)) throw error;
    const { reason } = error;
    await decideDeviceRequest(runtime.database, requestHash, { status: 'rejected', reason });
    await auditFailedSignIn(runtime.database, context, { method: 'github', reason });
  }
}

/** Null when the request's time ended while GitHub was asked. */
async function approve(
  runtime: GithubRuntime,
  requestHash: Buffer,
  identity: GithubIdentity,
): Promise<SignedInPerson | null> {
  return await runtime.database.transaction(async (transaction) => {
    if (!(await lockPendingDeviceRequest(transaction, requestHash))) return null;
    const person = await signInGithubPerson(transaction, runtime, identity);
    await decideDeviceRequest(transaction, requestHash, { status: 'approved', userId: person.userId });
    return person;
  });
}
