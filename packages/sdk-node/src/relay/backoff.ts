import type { Answer } from '../../../sdk-core/src/sending/host.ts';
import { isFinalRefusal } from './send-events.ts';

const STEP_MIN_MS = 1_000;
const STEP_MAX_MS = 60_000;
/** After a refusal that only a person can change. */
const REFUSED_MS = 5 * 60_000;

/** The time of the next attempt (docs/contract/clients.md 8.2). */
interface Backoff {
  waitMs(nowMs: number): number;
  succeed(): void;
  fail(answer: Answer, waitMs: number, nowMs: number): void;
}

/** 1, 2, 4 … 60 seconds, each times 0.5 to 1; what the service asks for wins when it is longer. */
export function createBackoff(random: () => number = Math.random): Backoff {
  let failures = 0;
  let notBefore = 0;
  return {
    waitMs: (nowMs) => Math.max(0, notBefore - nowMs),
    succeed() {
      failures = 0;
      notBefore = 0;
    },
    fail(answer, waitMs, nowMs) {
      const isAsked = answer.status === 429 || (answer.status >= 200 && answer.status < 300 && waitMs > 0);
      if (!isAsked) failures += 1;
      const stepMs = Math.min(STEP_MAX_MS, STEP_MIN_MS * 2 ** Math.min(failures - 1, 6));
      const ownMs = isFinalRefusal(answer) ? REFUSED_MS : isAsked ? 0 : stepMs * (0.5 + random() / 2);
      notBefore = nowMs + Math.max(ownMs, waitMs);
    },
  };
}
