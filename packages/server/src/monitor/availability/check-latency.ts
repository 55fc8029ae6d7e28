import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type CheckLatency,
  type getCheckLatency as endpoint,
  LATENCY_BUCKETS_MAX,
} from '@culprit/contract/monitor/check-history';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { readClock } from '../../platform/db/read-clock.ts';
import { sql } from '../../platform/db/statement.ts';
import { invalidSpan, queryTime } from '../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 31;
const BUCKETS_SECONDS = [60, 300, 900, 3600, 10_800] as const;

interface Times {
  /** Null: 24 hours before the end. */
  fromMs: number | null;
  /** Null: now. */
  toMs: number | null;
}

/** The times of a query. @throws Problem `invalid_query` */
export function checkLatencyTimes({ query }: { query: QueryOf<typeof endpoint> }): Times {
  return { fromMs: queryTime('from', query.from), toMs: queryTime('to', query.to) };
}

/** Returns how long the runs of a check took, in buckets (docs/contract/server-additions.md S18). */
export async function readCheckLatency(
  { database }: Runtime,
  { access, checked }: ApiRequest<typeof endpoint, Times>,
): Promise<CheckLatency> {
  const toMs = checked.toMs ?? (await readClock(database));
  const fromMs = checked.fromMs ?? toMs - DAY_MS;
  if (fromMs >= toMs || toMs - fromMs > DAYS_MAX * DAY_MS) throw invalidSpan(DAYS_MAX);
  // One more, because the first bucket may begin before the time.
  const fits = (seconds: number) => (toMs - fromMs) / 1000 / seconds + 1 <= LATENCY_BUCKETS_MAX;
  const bucketSeconds = BUCKETS_SECONDS.find(fits) ?? BUCKETS_SECONDS[BUCKETS_SECONDS.length - 1] ?? 3600;
  const rows = await database.query<{
    at: number;
    runs: number;
    failed: number;
    p50_ms: number | null;
    p95_ms: number | null;
  }>(LATENCY, [access.recordId, new Date(fromMs), new Date(toMs), bucketSeconds]);
  return {
    bucket_seconds: bucketSeconds,
    series: rows.map(({ at, ...figures }) => ({ at: formatTimestamp(at * 1000), ...figures })),
  };
}

// The unique slots of a check are its index by time; a run starts at its slot or soon after it.
const LATENCY = sql('availability-latency')`
    select (floor(extract(epoch from slot_at) / $4::bigint) * $4::bigint)::bigint as at, count(*) as runs,
      count(*) filter (where status <> 'success') as failed,
      round(percentile_cont(0.5) within group (order by duration_ms) filter (where status = 'success'))::integer
        as p50_ms,
      round(percentile_cont(0.95) within group (order by duration_ms) filter (where status = 'success'))::integer
        as p95_ms
    from availability_results
    where check_id = $1 and slot_at >= $2 and slot_at < $3
    group by 1 order by 1`;
