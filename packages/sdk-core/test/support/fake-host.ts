import { type Client, type ClientSettings, createClient } from '../../src/client.ts';
import type { DiagnosticCode, DiagnosticData } from '../../src/diagnostics.ts';
import { createCleaning } from '../../src/redaction/clean.ts';
import { createRedaction } from '../../src/redaction/redact.ts';
import { fnv1aHex } from '../../src/repeats/fnv1a.ts';
import type { Answer, Batch, Host } from '../../src/sending/host.ts';
import type { JsonObject, WireEvent } from '../../src/wire.ts';

/** A host whose clock moves only when the test says so. */
interface FakeHost extends Host {
  readonly batches: SentBatch[];
  readonly diagnostics: { code: DiagnosticCode; data: DiagnosticData }[];
  /** What the next requests are answered with; the last one stays. Default: everything is accepted. */
  answers: ((batch: SentBatch) => Answer | Promise<Answer>)[];
  /** Moves the clock, runs timers on the way, and lets promises settle. */
  advance(ms: number): Promise<void>;
  readonly timers: number;
}

interface SentBatch extends Batch {
  atMs: number;
  list: WireEvent[];
}

export const START_MS = Date.UTC(2030, 0, 1);

export function fakeHost(startMs = START_MS): FakeHost {
  let nowMs = startMs;
  let seed = 1;
  const timers = new Set<{ at: number; run: () => void }>();
  const settle = async () => {
    for (let i = 0; i < 8; i += 1) await Promise.resolve();
  };
  const host: FakeHost = {
    batches: [],
    diagnostics: [],
    answers: [],
    get timers() {
      return timers.size;
    },
    now: () => nowMs,
    random: (bytes) =>
      Uint8Array.from({ length: bytes }, () => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        return seed >>> 16;
      }),
    schedule(delayMs, run) {
      const timer = { at: nowMs + Math.max(0, delayMs), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async send(batch) {
      const { events }: { events: WireEvent[] } = JSON.parse(batch.body);
      const sent = { ...batch, atMs: nowMs, list: events };
      host.batches.push(sent);
      const answer = host.answers.length > 1 ? host.answers.shift() : host.answers[0];
      return answer === undefined ? acceptAll(sent) : answer(sent);
    },
    hash: fnv1aHex,
    onDiagnostic: (code, data) => host.diagnostics.push({ code, data }),
    async advance(ms) {
      const end = nowMs + ms;
      await settle();
      for (;;) {
        let next: { at: number; run: () => void } | undefined;
        for (const timer of timers) {
          if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
        }
        if (next === undefined) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.at);
        next.run();
        await settle();
      }
      nowMs = end;
    },
  };
  return host;
}

export function acceptAll(batch: SentBatch): Answer {
  return acknowledge(batch, []);
}

/** A sound 202 in which these events are refused. */
export function acknowledge(batch: SentBatch, errors: { index: number; reason: string }[]): Answer {
  return {
    status: 202,
    body: JSON.stringify({
      accepted: batch.events - errors.length,
      rejected: errors.length,
      errors,
      probe_directives: { active_probes: [] },
    }),
  };
}

const NODE_SETTINGS = {
  sdkName: '@culprit/node',
  sdkVersion: '0.1.0',
  batchEvents: 50,
  batchBytes: 512 * 1024,
  intervalMs: 2000,
  signalIntervalMs: 250,
  maxEvents: 1000,
  maxBytes: 8 * 1024 * 1024,
  staleMs: 30 * 60_000,
  eventBytes: 128 * 1024,
  stormMax: 300,
} as const;

export function fakeClient(host: FakeHost, settings: Partial<ClientSettings> = {}): Client {
  return createClient(host, {
    ...NODE_SETTINGS,
    service: { name: 'api', environment: 'production', runtime: 'node', framework: null },
    startCleaner: createCleaning(host, createRedaction()),
    ...settings,
  });
}

let made = 0;

/** An exception that equals no other. */
export function exception(members: JsonObject = {}) {
  const number = unique();
  return {
    type: 'backend_exception',
    payload: { name: `E${number}`, message: `failure ${number}`, stack: null, handled: true, ...members },
  } as const;
}

function unique(): number {
  made += 1;
  return made;
}

export function logLine(level: string, message = `line ${unique()}`) {
  return { type: 'log_event', payload: { level, message, attributes: {} } } as const;
}

export function requestEvent(status: number, path = `/p${unique()}`) {
  return {
    type: 'request_event',
    payload: { method: 'GET', path, response_status: status, duration_ms: 3 },
  } as const;
}

/** Every event that was sent, in order, repetitions included. */
export function sentEvents(host: FakeHost): WireEvent[] {
  return host.batches.flatMap(({ list }) => list);
}
