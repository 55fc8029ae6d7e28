/**
 * Less than a test may take, so that a wait in vain can say what was wrong; long enough for a machine that is busy with
 * something else as well.
 */
const TIMEOUT_MS = 75_000;
const LOOK_INTERVAL_MS = 20;

/**
 * Repeats `look` until it neither throws nor rejects, and returns what it found. At the deadline the last failure is
 * thrown, so that a test which waits in vain says what was still wrong.
 */
export async function eventually<Found>(
  look: () => Promise<Found> | Found,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Found> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() >= deadlineMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
}
