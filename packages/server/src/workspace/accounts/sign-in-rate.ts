import { clientKey } from '../../platform/http/limits/client-key.ts';
import type { Runtime } from '../../runtime.ts';
import { limitRequests } from './request-rate.ts';

/** Requests that are counted together (docs/contract/account.md 2.8). */
type SignInBucket = 'sign_in' | 'device_poll' | 'cli_poll';

/** GitHub's own polling every 5 seconds needs 12. */
const DEVICE_POLLS_PER_MINUTE = 30;
/** A program asks every 2 seconds, and two of them may wait behind one address. */
const CLI_POLLS_PER_MINUTE = 90;
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
    limit: {
      sign_in: signIn.requestsPerMinute,
      device_poll: DEVICE_POLLS_PER_MINUTE,
      cli_poll: CLI_POLLS_PER_MINUTE,
    }[bucket],
    windowSeconds: WINDOW_SECONDS,
  });
}
