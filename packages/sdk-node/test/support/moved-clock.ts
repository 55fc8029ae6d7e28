import { vi } from 'vitest';

const realTimeout = globalThis.setTimeout;
const LIMIT_MS = 20_000;

/** Timers and `Date` of the library stand still and move on demand, while connections work as ever. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
}

/** Runs what is due within this time, and gives connections time between. */
export async function moveClock(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Long enough that a request is answered before its time, by the moved clock, is over. */
const STEP_REST_MS = 25;

/** Moves the clock second by second, with time for connections between, until a condition holds. */
export async function moveClockUntil(holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > endsAt) throw new Error(`never: ${holds}`);
    await moveClock(1_000);
    await quiet(STEP_REST_MS);
  }
}

/** Waits by the real clock until a condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > endsAt) throw new Error(`never: ${holds}`);
    await new Promise((resolve) => realTimeout(resolve, 2));
  }
}

/** Time for connections to bring what must not come. */
export async function quiet(ms = 30): Promise<void> {
  await new Promise((resolve) => realTimeout(resolve, ms));
}
