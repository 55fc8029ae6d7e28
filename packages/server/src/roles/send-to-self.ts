const TIMEOUT_MS = 10_000;

/**
 * Sends a batch of events to the own listener, over a connection like everybody else's; returns the status.
 * @param address of this process, as its listener told it
 * @throws when no answer comes
 */
export async function sendToSelf(address: string, projectToken: string, body: string): Promise<number> {
  const response = await fetch(`${address}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${projectToken}`, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.status;
}
