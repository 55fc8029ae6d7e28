/** Runs every step of some work. */
export async function exhaust(steps: AsyncIterable<void>): Promise<void> {
  for await (const _step of steps);
}
