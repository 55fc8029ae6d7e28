import { isPolicy, presetPolicy } from './policy.ts';
import { parseObject } from './sending/acknowledgement.ts';
import type { Answer, Host } from './sending/host.ts';
import type { CapturePolicy, CaptureRule } from './wire.ts';

const DECIDED_MS = 5000;
const KEPT_MS = 600_000;
const RECHECK_MS = 900_000;
const POLL_MS = 60_000;
/** The first wait for a process whose start keeps it too busy to read the first answer in time. */
const RETRY_MS = 5000;

export interface ConfigSettings {
  /** One request; a rejection counts as a failure. `etag` is read from the headers of the answer. */
  fetch(etag: string | null): Promise<Answer>;
  /** Node asks again and again, browsers once. */
  polls: boolean;
  /** The policy is known for the first time: call `client.judgeWaiting()`. */
  onDecided(): void;
  /** `active_probes` of each answer. */
  onDirectives?(directives: readonly unknown[]): void;
  /** 401 or 403: call `client.stop(status)`. */
  onRefused(status: number): void;
  /** The service takes the token again: call `client.resume()`. */
  onAccepted(): void;
}

/** Policy, rules and trigger key of the project, as of the last good answer (docs/contract/clients.md 9.1). */
export interface Config {
  start(): void;
  stop(): void;
  /** Sending was refused: asks every 15 minutes until the service answers again. */
  recheck(): void;
  /** Null until the first result, five seconds at most. */
  policy(): CapturePolicy | null;
  rules(): readonly CaptureRule[];
  triggerKey(): string | null;
}

interface Known {
  policy: CapturePolicy;
  rules: readonly CaptureRule[];
  key: string | null;
}

export function createConfig(
  host: Pick<Host, 'now' | 'random' | 'schedule'>,
  settings: ConfigSettings,
): Config {
  const minimal: Known = { policy: presetPolicy('minimal'), rules: [], key: null };
  let known: Known | null = null;
  let goodAtMs = 0;
  let isFailing = false;
  let etag: string | null = null;
  let pollMs = POLL_MS;
  let retryMs = RETRY_MS;
  let isRefused = false;
  let isEnded = false;
  let cancel: (() => void) | null = null;

  const decide = (next: Known) => {
    const isFirst = known === null;
    known = next;
    if (isFirst) settings.onDecided();
  };

  const plan = (delayMs: number) => {
    cancel?.();
    cancel = isEnded ? null : host.schedule(delayMs, ask);
  };

  const ask = () => {
    const receive = (answer: Answer) => {
      if (isEnded) return;
      read(answer);
      if (isRefused) plan(RECHECK_MS);
      else if (settings.polls && pollMs > 0) {
        const waitMs = goodAtMs === 0 ? Math.min(retryMs, pollMs) : pollMs;
        retryMs *= 2;
        plan(waitMs * (0.9 + (host.random(1)[0] ?? 0) / 1275));
      }
    };
    const fail = () => receive({ status: 0 });
    try {
      settings.fetch(etag).then(receive, fail);
    } catch {
      fail();
    }
  };

  const read = (answer: Answer) => {
    const { status } = answer;
    const body = status === 200 ? readConfig(answer.body) : null;
    if (status === 401 || status === 403) {
      if (!isRefused) settings.onRefused(status);
      isRefused = true;
    } else if (isRefused && (status === 200 || status === 304)) {
      isRefused = false;
      settings.onAccepted();
    }
    if (body) {
      etag = answer.headers?.etag ?? null;
      pollMs = pollDelayOf(body.rawConfig);
      settings.onDirectives?.(body.directives);
    }
    if (body || (status === 304 && known !== null && etag !== null)) {
      goodAtMs = host.now();
      isFailing = false;
      if (body) {
        const { policy, rawConfig } = body;
        decide({ policy, rules: rulesOf(rawConfig), key: triggerKeyOf(rawConfig) });
      }
      return;
    }
    isFailing = true;
    if (known === null) decide(minimal);
  };

  const current = () => (known !== null && isFailing && host.now() - goodAtMs > KEPT_MS ? minimal : known);

  return {
    start() {
      host.schedule(DECIDED_MS, () => {
        if (known === null && !isEnded) decide(minimal);
      });
      ask();
    },
    stop() {
      isEnded = true;
      cancel?.();
    },
    recheck() {
      isRefused = true;
      plan(RECHECK_MS);
    },
    policy: () => current()?.policy ?? null,
    rules: () => current()?.rules ?? [],
    triggerKey: () => current()?.key ?? null,
  };
}

/** A configuration answer, of which only the policy has been read. */
export interface ReadConfig {
  policy: CapturePolicy;
  directives: readonly unknown[];
  /** The whole answer. */
  rawConfig: { readonly [key: string]: unknown };
}

/** A configuration answer; null when it has failed, as one with an invalid policy has. */
export function readConfig(body: string | undefined): ReadConfig | null {
  const rawConfig = parseObject(body);
  const { capture_policy: policy = presetPolicy('balanced'), active_probes } = Object(rawConfig);
  return rawConfig && isPolicy(policy) ? { policy, directives: listOf(active_probes), rawConfig } : null;
}

/** Returns its valid filters. */
export function rulesOf({ capture_rules }: ReadConfig['rawConfig']): readonly CaptureRule[] {
  return listOf(capture_rules).filter(isRule);
}

/** Its key of trigger tokens. */
export function triggerKeyOf({ trigger_token_key: key }: ReadConfig['rawConfig']): string | null {
  return typeof key === 'string' ? key : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the delay of the next poll, 0 for never: not more often than once a second, whatever the answer requests. */
export function pollDelayOf({ poll_interval_ms: ms }: ReadConfig['rawConfig']): number {
  if (typeof ms !== 'number' || !(ms >= 0)) return POLL_MS;
  return ms === 0 ? 0 : Math.min(Math.max(ms, 1000), 3_600_000);
}

function isRule(value: unknown): value is CaptureRule {
  const { id, project_id, action, matcher } = Object(value);
  return [id, project_id, action].every((text) => typeof text === 'string') && matcher === Object(matcher);
}
