import pg from 'pg';

/** The notification channel of the queue; the payload is the lane. */
export const WAKE_CHANNEL = 'culprit_jobs';

const RECONNECT_WAIT_MS = 1000;
/** Nothing ever comes over a connection that was lost on the way; only asking shows it. */
const BEAT_INTERVAL_MS = 15_000;
const BEAT_TIMEOUT_MS = 5000;

/**
 * Calls `onWake` with the lane whenever a transaction that queued a job commits, or with the payload of another channel.
 * A lost connection is made anew and followed by a wake-up with null, for every lane, because notifications of the gap
 * are gone.
 */
export function listenForWakeUps(
  url: string,
  onWake: (payload: string | null) => void,
  options: { channel?: string; beatIntervalMs?: number; beatTimeoutMs?: number } = {},
): { close(): Promise<void> } {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  async function connect(): Promise<void> {
    timer = null;
    const next = new pg.Client({
      connectionString: url,
      application_name: 'culprit-listen',
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      query_timeout: options.beatTimeoutMs ?? BEAT_TIMEOUT_MS,
    });
    next.on('error', () => {});
    next.on('end', () => reconnect(next));
    next.on('notification', (message) => onWake(message.payload ?? null));
    client = next;
    try {
      await next.connect();
      await next.query(`listen ${options.channel ?? WAKE_CHANNEL}`);
      onWake(null);
    } catch {
      reconnect(next);
    }
  }

  function reconnect(failed: pg.Client): void {
    if (isClosed || client !== failed) return;
    client = null;
    failed.end().catch(() => {});
    timer = setTimeout(() => void connect(), RECONNECT_WAIT_MS);
  }

  const beat = setInterval(() => {
    const asked = client;
    asked?.query('select').catch(() => reconnect(asked));
  }, options.beatIntervalMs ?? BEAT_INTERVAL_MS);
  beat.unref();

  void connect();
  return {
    async close() {
      isClosed = true;
      clearInterval(beat);
      if (timer !== null) clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
