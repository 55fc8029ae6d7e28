const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;
/** Without an address everybody shares one bucket. */
const SHARED_FACTOR = 10;

/** Calls of the last 60 seconds by client address. */
interface RateLimiter {
  /** Null when the call is within the limit, else the seconds until the next one is. */
  retryAfterSeconds(key: string | null, nowMs: number): number | null;
  readonly size: number;
}

/** A sliding window for each address; of more addresses than fit, the least recently used is dropped. */
export function createRateLimiter(limitPerMinute: number): RateLimiter {
  /** The least recently used comes first. Times of calls, oldest first, from `start` on. */
  const buckets = new Map<string | null, { times: number[]; start: number }>();

  return {
    get size() {
      return buckets.size;
    },
    retryAfterSeconds(key, nowMs) {
      const limit = key === null ? limitPerMinute * SHARED_FACTOR : limitPerMinute;
      const bucket = buckets.get(key) ?? { times: [], start: 0 };
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > ADDRESSES_MAX) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      expire(bucket, nowMs);
      const first = bucket.times[bucket.start];
      if (first !== undefined && bucket.times.length - bucket.start >= limit) {
        return Math.max(1, Math.ceil((first + WINDOW_MS - nowMs) / 1_000));
      }
      bucket.times.push(nowMs);
      return null;
    },
  };
}

function expire(bucket: { times: number[]; start: number }, nowMs: number): void {
  while ((bucket.times[bucket.start] ?? Number.POSITIVE_INFINITY) <= nowMs - WINDOW_MS) bucket.start += 1;
  if (bucket.start * 2 > bucket.times.length) {
    bucket.times = bucket.times.slice(bucket.start);
    bucket.start = 0;
  }
}
