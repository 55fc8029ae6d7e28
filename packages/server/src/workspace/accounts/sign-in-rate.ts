import { clientKey } from '../../platform/http/client-key.ts';
import type { Runtime } from '../../runtime.ts';
import { limitRequests } from './request-rate.ts';

/** Requests that are counted together (docs/contract/account.md 2.8). */
export type SignInBucket = 'sign_in' | 'device_poll';

/** GitHub's own polling every 5 seconds needs 12. */
const DEVICE_POLLS_PER_MINUTE = 30;
const WINDOW_SECONDS = 60;

/**
 * Counts a request against its client's budget of the minute.
 * @throws Problem `rate_limited`
 */
export async function limitSignInRequests(
  { database, signIn }: Pick<Runtime, 'database' | 'signIn'>,
  bucket: SignInBucket,
  clientAddress: string,
): Promise<void> {
  await limitRequests(database, {
    bucket,
    client: clientKey(clientAddress),
    limit: bucket === 'device_poll' ? DEVICE_POLLS_PER_MINUTE : signIn.requestsPerMinute,
    windowSeconds: WINDOW_SECONDS,
  });
}
