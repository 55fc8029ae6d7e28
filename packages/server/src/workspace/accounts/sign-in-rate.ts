import { clientKey } from '../../platform/http/client-key.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Runtime } from '../../runtime.ts';

/** Requests that are counted together (docs/contract/account.md 2.8). */
export type SignInBucket = 'sign_in' | 'device_poll';

/** GitHub's own polling every 5 seconds needs 12. */
const DEVICE_POLLS_PER_MINUTE = 30;
const WINDOW_SECONDS = 60;

/**
 * Counts a request against its client's budget of the minute, exactly, however many processes there are. The minute
 * begins with the client's first request.
 * @throws Problem `rate_limited`
 */
export async function limitSignInRequests(
  { database, signIn }: Pick<Runtime, 'database' | 'signIn'>,
  bucket: SignInBucket,
  clientAddress: string,
): Promise<void> {
  const limit = bucket === 'device_poll' ? DEVICE_POLLS_PER_MINUTE : signIn.requestsPerMinute;
  const client = clientKey(clientAddress);
  const [row] = await database.query<{ is_taken: boolean; wait_seconds: number | null }>(TAKE, [
    bucket,
    client,
    limit,
    WINDOW_SECONDS,
  ]);
  if (row?.is_taken === true) return;
  const waitSeconds = row?.wait_seconds ?? WINDOW_SECONDS;
  throw new Problem('rate_limited', {
    retryAfterSeconds: Math.min(Math.max(Math.ceil(waitSeconds), 1), WINDOW_SECONDS),
  });
}

// A window that begins far ahead is one of a clock that was put back since.
const TAKE = {
  name: 'sign-in-requests',
  text: `
    with taken as (
      insert into sign_in_rates as r (bucket, client, started_at, requests) values ($1, $2, culprit_now(), 1)
      on conflict (bucket, client) do update set
        started_at = case when r.started_at <= culprit_now() - make_interval(secs => $4)
          or r.started_at > culprit_now() + make_interval(secs => $4) then culprit_now() else r.started_at end,
        requests = case when r.started_at <= culprit_now() - make_interval(secs => $4)
          or r.started_at > culprit_now() + make_interval(secs => $4) then 1 else r.requests + 1 end
      where r.requests < $3 or r.started_at <= culprit_now() - make_interval(secs => $4)
        or r.started_at > culprit_now() + make_interval(secs => $4)
      returning requests
    )
    select exists (select from taken) as is_taken,
      (select extract(epoch from started_at - culprit_now())::float8 + $4 from sign_in_rates
        where bucket = $1 and client = $2) as wait_seconds`,
};
