import { CliError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { say } from '../../output/print.ts';
import { sleep } from '../../sleep.ts';

const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 30_000;
const RETRY_FOR_MS = 600_000;

/**
 * A connection that may be lost for a while: a call that got no answer is made again, later each time, until trouble
 * lasts longer than `--retry-for`.
 * @returns runs a call until it succeeds; null when the signal ended it before
 */
export function outlastTrouble(
  context: Context,
  input: Input,
  signal: AbortSignal,
): <Answer>(call: () => Promise<Answer>) => Promise<Answer | null> {
  const retryForMs = input.durationMs('retry-for') ?? RETRY_FOR_MS;
  return async (call) => {
    let sinceMs: number | null = null;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2)) {
      if (signal.aborted) return null;
      try {
        const answer = await call();
        if (sinceMs !== null) say(context, 'Reconnected.');
        return answer;
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof CliError) || error.exit !== EXIT.unreachable) throw error;
        const nowMs = performance.now();
        if (sinceMs === null) say(context, `${error.message} Trying again.`);
        sinceMs ??= nowMs;
        if (nowMs - sinceMs + pauseMs > retryForMs) throw error;
        await sleep(pauseMs, signal);
      }
    }
  };
}
