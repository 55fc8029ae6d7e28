import { isJsonObject } from '../redaction/clean.ts';
import type { EventType, JsonObject, JsonValue, WireEvent } from '../wire.ts';
import { fnv1aHex } from './fnv1a.ts';

/** The window of every tier. */
export const WINDOW_MS = 30_000;
/** Events of a class that pass within it. */
export const KIND_MAX = 30;
const KEYS_MAX = 500;
const REPORTS_MAX = 20;
const LOOP_MS = 2000;
const LOOP_EVENTS = 11;
/** First events of an unseen class that pass beyond the limit of the process. */
const FIRSTS_MAX = 100;

/** The counts of one key. */
export interface Tally {
  readonly fingerprint: string;
  readonly type: EventType;
  /** Begin of the window. */
  from: number;
  passed: number;
  /** The times of the latest events, to detect a loop. */
  times: number[];
  isLoop: boolean;
  heldBack: number;
  first: number;
  last: number;
  reportedAt: number;
  /** The last event that was sent; of the third tier, whose events are of many kinds, none. */
  sample: string;
}

/** Keys of equal events and of their class; null for what is never suppressed. */
export type KeysOf = (type: EventType, payload: JsonObject) => [equal: string, kind: string] | null;

/**
 * Takes a report of repeats that were not sent: payload of `error_suppressed` without its times, which are still by the
 * host's clock.
 */
type EmitReport = (payload: JsonObject, firstMs: number, lastMs: number) => void;

export interface Suppression {
  /** Returns true if an event can continue (docs/contract/clients.md 7.2, 7.3). */
  admits(event: Pick<WireEvent, 'event_type' | 'event_id' | 'payload'>, nowMs: number): boolean;
  /** Emits what is due, largest first, 20 at most unless `all`. Returns when more is due; Infinity for never. */
  report(nowMs: number, all?: boolean): number;
  /** The counts of keys, by `tallyIndex`, the least recently used first. */
  readonly tallies: Map<string, Tally>;
  /** The count of all events. */
  readonly overallTally: Tally;
}

/**
 * Holds back repeats in three tiers: 3 of an equal event, 30 of a class, and `totalMax` of the process in 30 s.
 * @param hash of a key, in its reported form
 * @param emit is also called when a key has to give way to others
 */
export function createSuppression(
  keysOf: KeysOf,
  hash: (key: string) => string,
  totalMax: number,
  emit: EmitReport,
): Suppression {
  const tallies = new Map<string, Tally>();
  const most = [3, KIND_MAX, totalMax];
  const newTally = (key: string, type: EventType): Tally => ({
    fingerprint: hash(key),
    type,
    from: 0,
    passed: 0,
    times: [],
    isLoop: false,
    heldBack: 0,
    first: 0,
    last: 0,
    reportedAt: 0,
    sample: '',
  });
  const whole = newTally('*', 'error_suppressed');
  let firsts = 0;

  const tallyOf = (key: string, type: EventType): Tally => {
    const index = tallyIndex(key);
    const tally = tallies.get(index) ?? newTally(key, type);
    tallies.delete(index);
    tallies.set(index, tally);
    for (const [oldest, evicted] of tallies) {
      if (tallies.size <= KEYS_MAX) break;
      tallies.delete(oldest);
      if (evicted.heldBack) tell(evicted, 0);
    }
    return tally;
  };

  const tell = (tally: Tally, nowMs: number) => {
    const { heldBack, fingerprint, isLoop, sample, type, first, last } = tally;
    tally.heldBack = 0;
    tally.reportedAt = nowMs;
    emit(
      {
        suppressed_count: heldBack,
        fingerprint,
        window_seconds: 30,
        loop_mode: isLoop,
        ...(sample && { sample_event_id: sample, event_type: type }),
      },
      first,
      last,
    );
  };

  return {
    tallies,
    overallTally: whole,
    admits({ event_type: type, event_id, payload }, nowMs) {
      const keys = keysOf(type, payload);
      if (!keys) return true;
      const one = tallyOf(keys[0], type);
      const kind = tallyOf(keys[1], type);
      const tiers = [one, kind, whole];
      const isUnseen = !kind.from;
      const { times } = one;
      if (nowMs - (times[times.length - 1] ?? nowMs) >= 2 * WINDOW_MS) one.isLoop = false;
      if (times.push(nowMs) > LOOP_EVENTS) times.shift();
      if (LOOP_EVENTS - 1 in times && nowMs - (times[0] ?? 0) <= LOOP_MS) one.isLoop = true;
      const full = tiers.find((tally, i) => {
        // Also when the clock was set back.
        if (Math.abs(nowMs - tally.from) >= WINDOW_MS) {
          tally.from = nowMs;
          tally.passed = 0;
          if (i > 1) firsts = 0;
        }
        return (
          tally.isLoop || (tally.passed >= (most[i] ?? 0) && !(i > 1 && isUnseen && firsts++ < FIRSTS_MAX))
        );
      });
      if (full) {
        if (!full.heldBack++) full.first = nowMs;
        full.last = nowMs;
        return false;
      }
      for (const tally of tiers) tally.passed++;
      one.sample = kind.sample = event_id;
      return true;
    },
    report(nowMs, all) {
      const held = [...tallies.values(), whole].filter(({ heldBack }) => heldBack);
      const dueAt = (tally: Tally) => (tally.isLoop && !all ? tally.reportedAt + WINDOW_MS : 0);
      const due = held.filter((tally) => dueAt(tally) <= nowMs).sort((a, b) => b.heldBack - a.heldBack);
      for (const tally of due.slice(0, all ? KEYS_MAX + 1 : REPORTS_MAX)) tell(tally, nowMs);
      return Math.min(...held.filter(({ heldBack }) => heldBack).map(dueAt));
    },
  };
}

/** Returns the index at which a key is counted: the key itself may be as long as a stack. */
export function tallyIndex(key: string): string {
  return fnv1aHex(key) + key.length;
}

/** The first two frames of a stack, without numbers. */
export function framesOf({ stack, message }: { stack?: unknown; message?: unknown }): string {
  const text = String(stack ?? '');
  const header = String(message);
  const start = text.indexOf(header);
  const frames = text.substr(start < 0 ? 0 : start + header.length, 1000).match(/^.*(?:\bat |@).*$/gm) ?? [];
  return withoutNumbers(frames.slice(0, 2).join('\n'));
}

/** Those of what a page captures (docs/contract/ingestion.md 8.6), in the form of docs/contract/incidents.md 5.10. */
export const pageKeys: KeysOf = (event_type, payload) => {
  const { message, method, path, level, attributes } = payload;
  if (event_type === 'log_event') {
    return [
      JSON.stringify({ event_type, level, message, attributes }),
      [event_type, level, memberOf(attributes, 'logger')].join(),
    ];
  }
  if (event_type === 'request_event') {
    const { response_status: status, route_template = null } = payload;
    return [
      JSON.stringify({ event_type, method, path, status, route_template }),
      withoutNumbers([event_type, method, route_template ?? path, status].join()),
    ];
  }
  return pageExceptionKeys(event_type, payload);
};

/** Those of its exceptions. */
export const pageExceptionKeys: KeysOf = (event_type, payload) => {
  if (event_type !== 'frontend_exception') return null;
  const { name, message, stack, route } = payload;
  const stack_frame =
    String(stack ?? '')
      .split('\n', 2)[1]
      ?.trim() ?? null;
  return [
    JSON.stringify({ event_type, name, message, stack_frame, route }),
    [event_type, name, framesOf(payload)].join(),
  ];
};

/** The same, and those of what a server captures. */
export const suppressionKeys: KeysOf = (event_type, payload) => {
  if (event_type !== 'backend_exception') return pageKeys(event_type, payload);
  const { name, message, stack } = payload;
  const path = memberOf(payload.request, 'path');
  const status = memberOf(payload.response, 'status_code');
  return [
    JSON.stringify({ event_type, name, message, stack, path, status }),
    [event_type, name, framesOf(payload)].join(),
  ];
};

function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, '');
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
