import { attempt } from '../../sdk-core/src/attempt.ts';
import type { Draft, Step } from '../../sdk-core/src/client.ts';
import type {
  ClientDiagnostics,
  DiagnosticCode,
  DiagnosticData,
  DropCounts,
  DropReason,
} from '../../sdk-core/src/diagnostics.ts';
import { createEventIds } from '../../sdk-core/src/event-id.ts';
import type { Judge } from '../../sdk-core/src/policy.ts';
import type { Cleaner } from '../../sdk-core/src/redaction/clean.ts';
import { fnv1aHex } from '../../sdk-core/src/repeats/fnv1a.ts';
import { createSuppression, type KeysOf } from '../../sdk-core/src/repeats/suppression.ts';
import { createDelivery } from '../../sdk-core/src/sending/delivery.ts';
import type { Answer, Batch } from '../../sdk-core/src/sending/host.ts';
import { bytesOf, serializeEvent, TRIMMED_OF_PAGES } from '../../sdk-core/src/sending/serialize.ts';
import type { Directive, JsonObject, Service, WireEvent } from '../../sdk-core/src/wire.ts';
import { SDK_NAME, SDK_VERSION } from './identity.ts';
import { randomBytes } from './random.ts';

/**
 * The way of an event from capture to the queue of the core, as docs/contract/clients.md 7 says it for browsers: no
 * clock is corrected here, nothing is spooled, and no event waits for its response.
 */

export interface ClientSettings {
  service: Service;
  batchEvents: number;
  intervalMs: number;
  maxEvents: number;
  startCleaner(): Cleaner;
  /** Without one everything is wanted, as an exception is. */
  judge?: Judge | undefined;
  /** Keys of what repeats. */
  keysOf: KeysOf;
  steps: Step[];
  /** @param isLasting the page is being left: the request must outlive it */
  send(batch: Batch, isLasting: boolean): Promise<Answer>;
  diagnose(code: DiagnosticCode, data: DiagnosticData): void;
  onDirectives?: ((directives: Directive[]) => void) | undefined;
}

export interface PageClient {
  /** Id of the event, or of the one that the same object was captured as. */
  capture(draft: Draft): string | null;
  flush(timeoutMs: number): Promise<boolean>;
  close(timeoutMs: number): Promise<boolean>;
  /** Sends what fits into a request that outlives the page. What does not is dropped when the page ends. */
  leave(isEnd: boolean): void;
  /** Sends within this time; once the network is back, whatever failed before. */
  arm(delayMs: number, isBack?: boolean): void;
  newId(): string;
  diagnostics(): ClientDiagnostics;
}

const BATCH_BYTES = 192 * 1024;
const QUEUE_BYTES = 1024 * 1024;
/** Browsers refuse larger bodies of requests that outlive their page. An event fits in one. */
const LEAVING_BYTES = 60_000;
const EVENT_BYTES = 59_000;
const STALE_MS = 600_000;
const STORM_MAX = 60;
const REASONS =
  'duplicate policy internal filtered noise rule sampled suppressed overflow too_large rejected stale unload';

export function createPageClient(settings: ClientSettings): PageClient {
  const { now } = Date;
  const { judge } = settings;
  const newId = createEventIds({ now, random: randomBytes });
  const dropped = Object.fromEntries(REASONS.split(' ').map((each) => [each, 0])) as Record<
    DropReason,
    number
  >;
  /** The drop counts that no event has reported yet. */
  let untold: DropCounts = {};
  const seen = new WeakMap<object, string>();
  let captured = 0;
  let isClosed = false;
  let lastEventAt: string | null = null;
  let reason: DiagnosticCode | null = null;

  const drop = (why: DropReason, { loss = {} }: { loss?: DropCounts } = {}) => {
    dropped[why] += 1;
    // Another event reports the counts that this one would have reported.
    for (const [key, count = 0] of [[why, 1], ...Object.entries(loss)] as [DropReason, number][]) {
      untold[key] = count + (untold[key] ?? 0);
    }
  };

  const diagnose = (code: DiagnosticCode, data: DiagnosticData) => {
    reason = code;
    settings.diagnose(code, data);
  };

  const delivery = createDelivery(
    {
      now,
      random: randomBytes,
      schedule: (delayMs, run) => setTimeout(run, delayMs),
      send: settings.send,
      isOnline: () => attempt(() => navigator.onLine) !== false,
    },
    {
      ...settings,
      batchBytes: BATCH_BYTES,
      signalIntervalMs: 250,
      maxBytes: QUEUE_BYTES,
      staleMs: STALE_MS,
      isUrgent: true,
    },
    {
      drop,
      diagnose,
      onBatch: () => suppression.report(now(), isClosed),
      textOf: ({ text }) => text,
      isIdle: () => true,
    },
  );

  const build = ({ type, payload, ready, hostContext, correlation }: Draft): WireEvent => {
    const cleaner = settings.startCleaner();
    return {
      occurred_at: timeOf(now()),
      event_id: newId(),
      event_type: type,
      schema_version: '2026-03-01',
      sdk_name: SDK_NAME,
      sdk_version: SDK_VERSION,
      service: settings.service,
      correlation: { request_id: null, trace_id: null, session_id: null, user_id_hash: null, ...correlation },
      payload: { ...cleaner.payload(payload), ...ready },
      context: cleaner.membersOf({ ...hostContext }),
    };
  };

  const enqueue = (event: WireEvent, rank: number, wanted: (() => boolean | null) | null) => {
    const { context } = event;
    const hostKeys = Object.keys(context);
    const loss = rank ? untold : {};
    if (Object.keys(loss)[0]) {
      context.capture_loss = loss as JsonObject;
      untold = {};
    }
    const text = serializeEvent(event, EVENT_BYTES, hostKeys, TRIMMED_OF_PAGES);
    if (text === null) {
      diagnose('too_large', { bytes: EVENT_BYTES });
      return drop('too_large', { loss });
    }
    lastEventAt = event.occurred_at;
    delivery.add({ text, bytes: bytesOf(text), rank, sinceMs: now(), attempts: 0, wanted, loss });
  };

  const suppression = createSuppression(settings.keysOf, fnv1aHex, STORM_MAX, (ready, firstMs, lastMs) => {
    captured += 1;
    const payload = { first_seen: timeOf(firstMs), last_seen: timeOf(lastMs) };
    enqueue(build({ type: 'error_suppressed', payload, ready }), 1, null);
  });

  const holdBack: Step = (event) => {
    if (suppression.admits(event, now())) return event;
    delivery.arm(settings.intervalMs);
    return 'suppressed';
  };

  return {
    newId,
    arm: delivery.arm,
    flush: delivery.flush,
    capture(draft) {
      if (isClosed || delivery.isStopped()) return null;
      captured += 1;
      try {
        const { type, payload, source } = draft;
        let id = (source && seen.get(source)) ?? null;
        const { wanted, rank } = judge?.(type, payload) ?? { wanted: true, rank: 2 };
        if (id || wanted === false) {
          drop(id ? 'duplicate' : 'policy');
          return id;
        }
        let event: WireEvent | DropReason = build(draft);
        id = event.event_id;
        if (source) seen.set(source, id);
        for (const step of [...settings.steps, holdBack]) {
          if (typeof event !== 'string') event = step(event, rank);
        }
        if (typeof event === 'string') drop(event);
        else enqueue(event, rank, wanted ? null : () => judge?.(type, payload).wanted ?? null);
        return id;
      } catch (error) {
        drop('internal');
        diagnose('internal_error', { message: String(error) });
        return null;
      }
    },
    close(timeoutMs) {
      isClosed = true;
      for (const entry of delivery.waiting()) entry.wanted = null;
      return delivery.flush(timeoutMs);
    },
    leave(isEnd) {
      suppression.report(now(), isEnd);
      delivery.leave(LEAVING_BYTES, isEnd);
    },
    diagnostics() {
      const state = delivery.state();
      return {
        state,
        reason: state === 'healthy' ? null : reason,
        captured,
        ...delivery.stats,
        accepted: delivery.stats.sent,
        waiting: delivery.waiting().length,
        waitingBytes: delivery.waitingBytes(),
        dropped: { ...dropped },
        lastEventAt,
      };
    },
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
