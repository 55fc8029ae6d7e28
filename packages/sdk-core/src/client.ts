import { createAmendments } from './amend.ts';
import type { ClientDiagnostics, DiagnosticCode, DiagnosticData, DropReason } from './diagnostics.ts';
import { createEventIds } from './event-id.ts';
import type { Judge } from './policy.ts';
import type { Cleaner } from './redaction/clean.ts';
import { createRepeats, type RawFailure } from './repeats/repeats.ts';
import { createSuppression } from './repeats/suppression.ts';
import { createDelivery, type DeliverySettings, mostUrgent } from './sending/delivery.ts';
import type { Host } from './sending/host.ts';
import { bytesOf, serializeEvent, TRIMMED } from './sending/serialize.ts';
import type { Correlation, EventType, JsonObject, Service, WireEvent } from './wire.ts';

/**
 * The way of an event from capture to the service (docs/contract/clients.md 7 and 8). A platform package
 *
 * 1. makes a `Host` (clock, random bytes, timers, one request) and a cleaning (`createCleaning`),
 * 2. chooses the parts that it wants and passes them as settings: a `judge` over the capture policy (`createJudge`,
 *    `createConfig`), `steps` in the order of 7.1 (`createIgnoreStep`, `createBeforeSendStep`, `createRulesStep`,
 *    `createSamplingStep`), `onDirectives` (`createDirectives`),
 * 3. calls `capture(draft)` with what `exceptionDraft`, `logDraft` and `requestDraft` make of the host's values, or
 *    `prepare(draft)` now and `submit(prepared)` later, with `onFlush` for what still waits then, for an exception that waits for its response,
 * 4. calls `drain(bytes)` in a crash or when a page is left, and sends the texts it gets itself,
 * 5. prints lines for `host.onDiagnostic` (`createDiagnosticPrinter`), and calls `wake(0)` once the policy is known or
 *    the network is back.
 *
 * What a client leaves out (rules, probes, breadcrumbs) is not imported and costs no byte.
 */

/** A failure, log line, request and so on as captured: nothing in it is cleaned yet, except `ready`. */
export interface Draft {
  type: EventType;
  /** The members that the host's values fill; message and stack first, because the bounds are spent in order. */
  payload: Readonly<Record<string, unknown>>;
  /** Members of the payload that are clean already: trail, probes, facts of the platform. */
  ready?: JsonObject | undefined;
  /** Context keys of the library (3.2), clean. */
  context?: JsonObject | undefined;
  /** Context keys of the host: they win, and are cleaned. */
  hostContext?: Readonly<Record<string, unknown>> | undefined;
  correlation?: Partial<Correlation> | undefined;
  framework?: string | null | undefined;
  /** The thrown object: the same one is captured once. */
  source?: object | undefined;
  /** By the host's clock; now when it is absent. */
  atMs?: number | undefined;
  /** The failure that is passed to `repeat` next time. */
  failure?: RawFailure | undefined;
  /** Suppression has let it pass already, under this id. */
  admittedAs?: string | undefined;
}

/** A built event that is not in the queue yet. It counts as waiting. */
export interface Prepared {
  readonly id: string;
  readonly event: WireEvent;
  readonly rank: number;
  readonly hostKeys: string[];
  readonly wanted: (() => boolean | null) | null;
  readonly failure?: RawFailure | undefined;
  readonly isAdmitted?: boolean;
}

/** A step of 7.1 between building and suppression: the reason to drop the event, or the event that continues. */
export type Step = (event: WireEvent, rank: number) => DropReason | WireEvent;

export interface ClientSettings extends DeliverySettings {
  sdkName: string;
  sdkVersion: string;
  /** `framework` may be set later. */
  service: Service;
  /** Bound of one serialized event. */
  eventBytes: number;
  /** Events of the process in 30 s, beyond which only new kinds pass (7.3). */
  stormMax: number;
  startCleaner: () => Cleaner;
  /** Without one, everything is wanted and evicted by age. */
  judge?: Judge | undefined;
  steps?: readonly Step[] | undefined;
}

export interface Client {
  /** Id of the event, or of the one that the same object was captured as; null when it ends here. Never throws. */
  capture(draft: Draft): string | null;
  /** Steps 1 to 4 of 7.1: the event, or what `capture` returns when it ends here. */
  prepare(draft: Draft): Prepared | string | null;
  /**
   * For a failure, before anything of it is built: its id and whether it is held back, and so counted and done. Null
   * where that is not known yet: the last equal one was not held back, and its class still lets events through. Only
   * where no step but suppression can end it.
   */
  repeat(failure: RawFailure, source: object): { id: string; isHeld: boolean } | null;
  /** Steps 5 to 10. */
  submit(prepared: Prepared): void;
  /** Ends a prepared event otherwise. */
  discard(prepared: Prepared, reason: DropReason): void;
  /** Counts a capture that ended before a draft was made. */
  drop(reason: DropReason): void;
  /** True: no event waits. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Does the same with every suppression report; nothing is captured after it. */
  close(timeoutMs: number): Promise<boolean>;
  /**
   * Texts of what waits, in flight or not, for a last send by the platform itself (`batchBody`): by rank and newest
   * first, up to `maxBytes`. What does not fit is dropped as `unload`. `keep` leaves everything where it is, for a spool.
   */
  drain(maxBytes: number, options?: { keep?: boolean; leastRank?: number }): string[];
  /** Sends within this time; once the network is back, whatever went unanswered before. */
  wake(delayMs: number, isBack?: boolean): void;
  /** Stops as after a 401 or 403 to a batch: drops the waiting events, and captures nothing until `resume`. */
  stop(status: number): void;
  /** The service takes the token again. */
  resume(): void;
  /** Asks the judge again for what waited until the policy was known. */
  judgeWaiting(): void;
  /** Difference of the service's clock to the host's, once it is known; 0 for none. */
  setClockOffset(offsetMs: number): void;
  /** Corrected time. */
  now(): number;
  diagnose(code: DiagnosticCode, data?: DiagnosticData): void;
  diagnostics(): ClientDiagnostics;
  /** Called before events are flushed or drained, so that prepared ones can be submitted. */
  onFlush(run: () => void): void;
  /** Names the framework once it is seen. */
  setFramework(name: string): void;
  /** True if captures have an effect: neither closed nor stopped. */
  readonly isActive: boolean;
  /** True if an event waits that is more than context. */
  readonly hasSignal: boolean;
  /** Returns true if this event is in the queue or on its way. */
  waits(eventId: string): boolean;
}

/** Left free for what is added when a batch is formed. */
const ADDED_BYTES = 512;

export function createClient(host: Host, settings: ClientSettings): Client {
  const newId = createEventIds(host);
  const seen = new WeakMap<object, string>();
  const dropped: Record<DropReason, number> = {
    duplicate: 0,
    policy: 0,
    internal: 0,
    filtered: 0,
    noise: 0,
    rule: 0,
    sampled: 0,
    suppressed: 0,
    overflow: 0,
    too_large: 0,
    rejected: 0,
    stale: 0,
    unload: 0,
  };
  let captured = 0;
  let prepared = 0;
  let preparedSignals = 0;
  let isClosed = false;
  let lastEventAt: string | null = null;
  let reason: DiagnosticCode | null = null;
  let offsetMs = 0;
  /** The number of events that the platform sent itself. */
  let unanswered = 0;
  const flushHooks: (() => void)[] = [];
  const service = { ...settings.service };

  const diagnose = (code: DiagnosticCode, data: DiagnosticData = {}) => {
    reason = code;
    host.onDiagnostic?.(code, data);
  };

  /** Whatever goes wrong inside is counted, and never reaches the host. */
  const guard = <Result>(run: () => Result): Result | null => {
    try {
      return run();
    } catch (error) {
      dropped.internal += 1;
      diagnose('internal_error', { message: String(error) });
      return null;
    }
  };

  const timeText = (ms: number) => new Date(ms).toISOString();

  const amend = createAmendments(dropped, () => offsetMs);

  const delivery = createDelivery(host, settings, {
    drop: (why) => {
      dropped[why] += 1;
    },
    diagnose,
    onBatch: () => suppression.report(host.now(), isClosed),
    textOf: amend,
    isIdle: () => prepared === 0,
  });

  const repeats = createRepeats(host.hash);
  const suppression = createSuppression(
    repeats.keysOf,
    repeats.fingerprintOf,
    settings.stormMax,
    (payload, firstMs, lastMs) => {
      captured += 1;
      const ready = {
        ...payload,
        fingerprint: repeats.reportedAs(payload.fingerprint),
        first_seen: timeText(firstMs + offsetMs),
        last_seen: timeText(lastMs + offsetMs),
      };
      enqueue({ ...build({ type: 'error_suppressed', payload: {}, ready }), rank: 1, wanted: null });
    },
  );

  const build = (draft: Draft) => {
    const cleaner = settings.startCleaner();
    const { correlation, framework, hostContext, failure, admittedAs } = draft;
    const id = admittedAs ?? newId();
    const payload = { ...cleaner.payload(draft.payload), ...draft.ready };
    const ofHost = hostContext ? cleaner.membersOf(hostContext) : {};
    delete ofHost.clock_skew_ms;
    delete ofHost.capture_loss;
    const event: WireEvent = {
      occurred_at: timeText(draft.atMs ?? host.now()),
      event_id: id,
      event_type: draft.type,
      schema_version: '2026-03-01',
      sdk_name: settings.sdkName,
      sdk_version: settings.sdkVersion,
      service: { ...service, ...(framework ? { framework } : {}) },
      correlation: { request_id: null, trace_id: null, session_id: null, ...correlation, user_id_hash: null },
      payload,
      context: { ...draft.context, ...ofHost },
    };
    return { id, event, hostKeys: Object.keys(ofHost), failure, isAdmitted: admittedAs !== undefined };
  };

  const enqueue = ({ event, rank, hostKeys, wanted }: Prepared) => {
    const text = serializeEvent(event, settings.eventBytes - ADDED_BYTES, hostKeys, TRIMMED);
    if (text === null) {
      dropped.too_large += 1;
      diagnose('too_large', { bytes: settings.eventBytes });
    } else {
      lastEventAt = event.occurred_at;
      delivery.add({ text, bytes: bytesOf(text), rank, sinceMs: host.now(), attempts: 0, wanted });
    }
  };

  const isActive = () => !isClosed && !delivery.isStopped();

  const prepare: Client['prepare'] = (draft) => {
    if (!isActive()) return null;
    captured += 1;
    return guard(() => {
      const { type, payload, source } = draft;
      const known = source && seen.get(source);
      const { wanted, rank } = settings.judge?.(type, payload) ?? { wanted: true, rank: 2 };
      if (known) dropped.duplicate += 1;
      else if (wanted === false) dropped.policy += 1;
      else {
        const built = build(draft);
        if (source) seen.set(source, built.id);
        prepared += 1;
        if (rank > 0) preparedSignals += 1;
        return { ...built, rank, wanted: wanted === null ? judgeLater(type, payload) : null };
      }
      return known ?? null;
    });
  };

  /** Level, status, method and path are all that the policy asks. */
  const judgeLater =
    (type: EventType, { level, response_status, method, path }: Draft['payload']) =>
    () =>
      settings.judge?.(type, { level, response_status, method, path }).wanted ?? null;

  const end = (made: Prepared, why?: DropReason) => {
    prepared -= 1;
    if (made.rank > 0) preparedSignals -= 1;
    guard(() => {
      let ending = why;
      let { event } = made;
      for (const step of settings.steps ?? []) {
        const next = ending ?? step(event, made.rank);
        if (typeof next === 'string') ending = next;
        else event = next;
      }
      if (!ending && !made.isAdmitted) {
        const isHeld = !suppression.admits(event, host.now());
        if (made.failure !== undefined) repeats.remember(made.failure, event.payload, isHeld);
        if (isHeld) {
          ending = 'suppressed';
          delivery.arm(settings.intervalMs);
        }
      }
      if (ending) dropped[ending] += 1;
      else enqueue({ ...made, event });
    });
    delivery.settle();
  };

  const submitHeld = () => {
    for (const hook of flushHooks) guard(hook);
  };

  const flush = (timeoutMs: number) => {
    submitHeld();
    return delivery.flush(timeoutMs);
  };

  return {
    prepare,
    repeat(failure, source) {
      if (!isActive() || seen.has(source)) return null;
      const payload = repeats.find(failure);
      const nowMs = host.now();
      if (!payload && !repeats.holdsNew(failure, suppression, settings.stormMax, nowMs)) return null;
      const id = newId();
      const event_type = 'backend_exception';
      const isHeld = !payload || !suppression.admits({ event_type, event_id: id, payload }, nowMs);
      if (isHeld) {
        captured += 1;
        dropped.suppressed += 1;
        seen.set(source, id);
        delivery.arm(settings.intervalMs);
      }
      return { id, isHeld };
    },
    submit: (made) => end(made),
    discard: end,
    flush,
    diagnose,
    wake: delivery.arm,
    stop: delivery.stop,
    resume: delivery.resume,
    capture(draft) {
      const made = prepare(draft);
      if (!made || typeof made === 'string') return made;
      end(made);
      return made.id;
    },
    drop(why) {
      captured += 1;
      dropped[why] += 1;
    },
    close(timeoutMs) {
      submitHeld();
      isClosed = true;
      // A policy that is still unknown will stay unknown.
      for (const entry of delivery.waiting()) if (entry.wanted?.() === null) entry.wanted = null;
      return flush(timeoutMs);
    },
    drain(maxBytes, { keep = false, leastRank = 0 } = {}) {
      submitHeld();
      const entries = mostUrgent(
        delivery.waiting().filter(({ rank }) => rank >= leastRank),
        maxBytes,
      );
      const drained = entries.map(amend);
      if (!keep) {
        for (const entry of delivery.waiting())
          delivery.end(entry, entries.includes(entry) ? 'sent' : 'unload');
        // These get no answer.
        unanswered += entries.length;
        delivery.settle();
      }
      return drained;
    },
    judgeWaiting: () => delivery.arm(0),
    setClockOffset(ms) {
      offsetMs = ms;
    },
    now: () => host.now() + offsetMs,
    onFlush(run) {
      flushHooks.push(run);
    },
    setFramework(name) {
      service.framework = name;
    },
    get isActive() {
      return isActive();
    },
    waits: (eventId) => delivery.waiting().some(({ text }) => text.includes(eventId)),
    get hasSignal() {
      return preparedSignals > 0 || delivery.waiting().some(({ rank }) => rank > 0);
    },
    diagnostics() {
      const state = isClosed ? 'disabled' : delivery.state();
      return {
        state,
        reason: state === 'healthy' ? null : reason,
        captured,
        ...delivery.stats,
        accepted: delivery.stats.sent - unanswered,
        waiting: delivery.waiting().length + prepared,
        waitingBytes: delivery.waitingBytes(),
        dropped: { ...dropped },
        lastEventAt,
      };
    },
  };
}
