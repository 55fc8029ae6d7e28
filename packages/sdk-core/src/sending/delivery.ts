import type { DiagnosticCode, DiagnosticData, DropCounts, DropReason, State } from '../diagnostics.ts';
import type { Acknowledgement, Directive } from '../wire.ts';
import { parseObject, readAcknowledgement } from './acknowledgement.ts';
import type { Answer, Batch, Host } from './host.ts';

/** The amounts and intervals of sending, and the limits of waiting (docs/contract/clients.md 7.3, 8.1). */
export interface DeliverySettings {
  batchEvents: number;
  batchBytes: number;
  intervalMs: number;
  /** With an exception in the batch. */
  signalIntervalMs: number;
  maxEvents: number;
  maxBytes: number;
  /** The time that an event can wait. */
  staleMs: number;
  /** True if exceptions wait for no answer: a second request can be under way with one of them. */
  isUrgent?: boolean | undefined;
  onDirectives?: ((directives: Directive[]) => void) | undefined;
  /** Every answer, before it is read: `createClockCheck`. */
  onAnswer?: ((answer: Answer) => void) | undefined;
  /** Sending has stopped by a 401, 403 or another final answer. */
  onStopped?: ((status: number) => void) | undefined;
}

/** One event that waits. */
export interface Entry {
  text: string;
  bytes: number;
  /** The order of eviction; the highest is last: 2 exceptions and deploys, 1 other signals and reports, 0 context. */
  rank: number;
  sinceMs: number;
  attempts: number;
  /** Returns true if the policy wants it; called until it is known. */
  wanted: (() => boolean | null) | null;
  wasLimited?: boolean;
  /** The request that it is in: 0 none, 1 an ordinary one, 2 one that outlives its page. */
  flight?: 0 | 1 | 2;
  /** The loss that its text reports, if that is known when it is added. */
  loss?: DropCounts;
  /** The outcome of the entry. */
  fate?: DropReason | 'sent';
}

/** The functions of the client that its queue needs. */
interface DeliveryOwner {
  /** Counts an entry that ends unsent. */
  drop(reason: DropReason, entry: Entry): void;
  diagnose(code: DiagnosticCode, data: DiagnosticData): void;
  /** Puts into the queue what is due with each batch; returns when more is due. */
  onBatch(): number;
  /** An entry as it leaves. */
  textOf(entry: Entry): string;
  /** Returns true if nothing else waits to be added to the queue. */
  isIdle(): boolean;
}

export interface Delivery {
  add(entry: Entry): void;
  /** Sends within this time at the latest, if it may; once the network is back, whatever went unanswered before. */
  arm(delayMs: number, isBack?: boolean): void;
  flush(timeoutMs: number): Promise<boolean>;
  /** Resolves the flushes when no event waits. */
  settle(): void;
  /**
   * Sends what fits in a request that outlives the page, without what is in such a request already.
   * @param isEnd what does not fit is dropped
   */
  leave(maxBytes: number, isEnd: boolean): void;
  /** Ends an entry that waits. */
  end(entry: Entry, fate: DropReason | 'sent'): void;
  /** Drops what waits; nothing is sent until `resume`. */
  stop(status: number): void;
  resume(): void;
  /** Returns the waiting events, the batch in flight included, oldest first. */
  waiting(): Entry[];
  waitingBytes(): number;
  isStopped(): boolean;
  state(): State;
  stats: { requests: number; retries: number; sent: number };
}

/**
 * Queue and retry state machine (docs/contract/clients.md 8.2): few requests at a time, everything bounded, no event
 * lost without a count or sent under a second id. Events stay in the queue until they end.
 */
export function createDelivery(
  host: Omit<Host, 'hash' | 'send' | 'schedule'> & {
    schedule(delayMs: number, run: () => void): unknown;
    send(batch: Batch, isLasting: boolean): Promise<Answer>;
  },
  settings: DeliverySettings,
  { drop, diagnose, onBatch, textOf, isIdle }: DeliveryOwner,
): Delivery {
  const stats = { requests: 0, retries: 0, sent: 0 };
  const { batchEvents, intervalMs, signalIntervalMs } = settings;
  const flushes = new Set<() => void>();
  const queue = new Set<Entry>();
  let bytes = 0;
  let requestsInFlight = 0;
  let timerMs = Number.POSITIVE_INFINITY;
  let notBeforeMs = 0;
  let failures = 0;
  let unsound = 0;
  let isUnanswered = false;
  let isStopped = false;
  /** Smaller for a while after a batch that was refused as a whole. */
  let batchMax = batchEvents;
  /** Factor on the intervals after rate limits. */
  let slowdown = 1;
  let limitedMs = 0;

  const end = (entry: Entry, fate: DropReason | 'sent') => {
    if (!queue.delete(entry)) return;
    bytes -= entry.bytes;
    entry.fate = fate;
    if (fate !== 'sent') return drop(fate, entry);
    stats.sent += 1;
  };

  const arm = (delayMs: number, isBack?: boolean) => {
    const nowMs = host.now();
    if (isBack && isUnanswered) notBeforeMs = 0;
    const atMs = Math.max(nowMs + delayMs, notBeforeMs);
    if (isStopped || atMs >= timerMs) return;
    timerMs = atMs;
    // Another one may have come first.
    host.schedule(atMs - nowMs, () => atMs === timerMs && send());
  };

  /** Schedules the next batch: immediately when one is full. */
  const armNext = (delayMs: number) => {
    if (queue.size) arm(queue.size < batchMax ? delayMs * slowdown : 0);
  };

  const send = () => {
    const nowMs = host.now();
    timerMs = Number.POSITIVE_INFINITY;
    if (isStopped || requestsInFlight > (settings.isUrgent ? 1 : 0)) return;
    if (nowMs < notBeforeMs) return arm(0);
    arm(onBatch() - nowMs);
    const ready: Entry[] = [];
    for (const entry of queue) {
      if (entry.flight) continue;
      const wanted = entry.wanted ? entry.wanted() : true;
      if (wanted === false) end(entry, 'policy');
      else if (entry.attempts > 9 || nowMs - entry.sinceMs > settings.staleMs) end(entry, 'stale');
      else if (wanted) ready.push(entry);
    }
    const batch = fitting(ready, settings.batchBytes, 1).slice(0, batchMax);
    if (!requestsInFlight || batch.some(({ rank }) => rank > 1)) request(batch, 1);
    settle();
  };

  const request = (batch: Entry[], flight: 1 | 2) => {
    if (!batch.length) return;
    const receive = (answer: Answer) => {
      requestsInFlight -= 1;
      for (const entry of batch) entry.flight = 0;
      // Events that were removed since no longer count.
      if (batch.some((entry) => queue.has(entry))) {
        settings.onAnswer?.(answer);
        read(answer, batch);
        settle();
      }
      armNext(flushes.size ? 0 : signalIntervalMs);
    };
    const body = batchBody(batch.map(textOf));
    stats.requests += 1;
    requestsInFlight += 1;
    for (const entry of batch) {
      entry.flight = flight;
      entry.attempts += 1;
    }
    new Promise<Answer>((resolve) => resolve(host.send({ body, events: batch.length }, flight > 1))).then(
      receive,
      () => receive({ status: 0 }),
    );
  };

  const read = (answer: Answer, batch: Entry[]) => {
    const { status, body } = answer;
    const isOk = status >= 200 && status < 300;
    isUnanswered = !status;
    const ack = isOk ? readAcknowledgement(body, batch.length) : relayVerdict(answer);
    if (ack) {
      let isLimited = false;
      batch.forEach((entry, i) => {
        const reason = ack.errors.find(({ index }) => index === i)?.reason;
        if (reason === 'rate_limited' && (entry.rank || !entry.wasLimited)) {
          entry.wasLimited = isLimited = true;
        } else end(entry, reason ? 'rejected' : 'sent');
      });
      failures = unsound = 0;
      batchMax = Math.min(batchMax * 2, batchEvents);
      if (isLimited) slowDown(answer);
      else if (slowdown > 1 && host.now() - limitedMs > QUIET_MS) {
        slowdown /= 2;
        limitedMs = host.now();
      }
      const directives = ack.probe_directives?.active_probes;
      if (directives) settings.onDirectives?.(directives);
    } else if (status === 429) {
      failures = failures || 1;
      slowDown(answer);
    } else if (status === 400 || status === 413) {
      if (batch.length < 2) for (const entry of batch) end(entry, 'rejected');
      batchMax = Math.max(1, batch.length >> 1);
      stats.retries += 1;
    } else if (status < 300 || status === 408 || status >= 500) {
      if (isOk && ++unsound === 2) diagnose('not_an_api', { status });
      failures += 1;
      if (failures === 7 && !unsound) diagnose('unreachable', { status, code: answer.code ?? null });
      // The browser only guesses whether there is a network, so its guess only makes the interval longer.
      const stepMs = Math.min(STEP_MAX_MS, 500 * 2 ** failures) * (0.5 + Number(host.random(1)[0]) / 512);
      wait(answer, isUnanswered && host.isOnline?.() === false ? STEP_MAX_MS : stepMs);
    } else stop(status);
  };

  const wait = (answer: Answer, waitMs: number) => {
    const nowMs = host.now();
    stats.retries += 1;
    notBeforeMs = nowMs + Math.max(waitMs, retryAfterMs(answer, nowMs));
  };

  const slowDown = (answer: Answer) => {
    limitedMs = host.now();
    slowdown = Math.min(slowdown * 2, 30_000 / intervalMs);
    wait(answer, 1000);
  };

  const stop = (status: number) => {
    if (isStopped) return;
    isStopped = true;
    for (const entry of queue) end(entry, 'rejected');
    diagnose(status === 401 ? 'unauthorized' : status === 403 ? 'origin_refused' : 'not_an_api', { status });
    settings.onStopped?.(status);
    settle();
  };

  const settle = () => {
    if (isIdle() && !queue.size) for (const done of [...flushes]) done();
  };

  return {
    stats,
    arm,
    end,
    stop,
    settle,
    waiting: () => [...queue],
    waitingBytes: () => bytes,
    add(entry) {
      queue.add(entry);
      bytes += entry.bytes;
      while (queue.size > settings.maxEvents || bytes > settings.maxBytes) {
        // An event in a request may have arrived.
        const idle = [...queue].filter(({ flight }) => !flight);
        const victim = idle.reduce((least, each) => (each.rank < least.rank ? each : least));
        end(victim, 'overflow');
      }
      armNext(entry.rank > 1 ? signalIntervalMs : intervalMs);
    },
    flush: (timeoutMs) =>
      new Promise((resolve) => {
        const done = () => resolve(flushes.delete(done));
        flushes.add(done);
        host.schedule(timeoutMs, () => resolve(!flushes.delete(done)));
        onBatch();
        send();
        settle();
      }),
    leave(maxBytes, isEnd) {
      const rest = [...queue].filter(({ flight }) => flight !== 2);
      request(mostUrgent(rest, maxBytes), 2);
      if (isEnd) for (const entry of queue) if (!entry.flight) end(entry, 'unload');
    },
    resume() {
      isStopped = false;
    },
    isStopped: () => isStopped,
    state: () =>
      isStopped || failures > 2 || unsound > 1 ? 'disconnected' : failures ? 'degraded' : 'healthy',
  };
}

const QUIET_MS = 300_000;
const STEP_MAX_MS = 60_000;

/** By rank and newest first, up to a size. */
export function mostUrgent(entries: Entry[], maxBytes: number): Entry[] {
  return fitting(
    entries.reverse().sort((a, b) => b.rank - a.rank),
    maxBytes,
    0,
  );
}

/** Those that fit together, in order; `least` of them in any case. */
function fitting(entries: readonly Entry[], maxBytes: number, least: number): Entry[] {
  let bytes = 0;
  return entries.filter((entry, i) => {
    const fits = i < least || bytes + entry.bytes < maxBytes;
    if (fits) bytes += entry.bytes + 1;
    return fits;
  });
}

/** Returns the verdict of a relay, which answers for each event although it refuses some. */
function relayVerdict({ status, body }: Answer): Pick<Acknowledgement, 'errors' | 'probe_directives'> | null {
  const { error, errors } = Object(status === 400 && parseObject(body));
  return error === 'invalid_event' && Array.isArray(errors)
    ? { errors: errors.map((reason) => ({ index: Number(/\d+/.exec(reason)), reason })) }
    : null;
}

/** The JSON of a request with these events. */
export function batchBody(texts: readonly string[]): string {
  return `{"events":[${texts}]}`;
}

/** `Retry-After` in seconds or as a date, 300 s at most; 0 without one. */
export function retryAfterMs({ headers }: Answer, nowMs: number): number {
  const text = headers?.['retry-after'];
  return Math.min(300_000, Math.max(0, Number(text) * 1000 || Date.parse(`${text}`) - nowMs || 0));
}
