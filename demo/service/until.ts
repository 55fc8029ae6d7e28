import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;
const LOOK_INTERVAL_MS = 100;

/**
 * Looks again and again until `isThere` agrees, and returns what it saw; at the deadline it returns what is there
 * instead, and the checks that follow name what is missing.
 */
export async function until<Seen>(
  look: () => Promise<Seen>,
  isThere: (seen: Seen) => boolean,
): Promise<Seen> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const seen = await look();
    if (isThere(seen) || performance.now() >= deadline) return seen;
    await delay(LOOK_INTERVAL_MS);
  }
}
