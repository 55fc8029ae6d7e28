import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { Problem } from '../../platform/http/binding/problem.ts';

/** The requests that are counted together, and their limit in a window, which begins with the first one. */
interface RequestRate {
  bucket: string;
  /** The client, the person or the address that the bucket is of. */
  client: string;
  limit: number;
  /** At most an hour: counters that are older are removed. */
  windowSeconds: number;
}

/**
 * Counts a request, exactly, however many processes there are.
 * @throws Problem `rate_limited`
 */
export async function limitRequests(
  database: Queryable,
  { bucket, client, limit, windowSeconds }: RequestRate,
): Promise<void> {
  const [row] = await database.query<{ is_taken: boolean; wait_seconds: number | null }>(TAKE, [
    bucket,
    client,
    limit,
    windowSeconds,
  ]);
  if (row?.is_taken === true) return;
  const waitSeconds = row?.wait_seconds ?? windowSeconds;
  throw new Problem('rate_limited', {
    retryAfterSeconds: Math.min(Math.max(Math.ceil(waitSeconds), 1), windowSeconds),
  });
}

// A window that begins far ahead is one of a clock that was put back since.
const TAKE = sql('sign-in-requests')`
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
        where bucket = $1 and client = $2) as wait_seconds`;
