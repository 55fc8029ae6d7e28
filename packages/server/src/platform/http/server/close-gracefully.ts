import { setTimeout as wait } from 'node:timers/promises';
import type { HttpServer } from './http-server.ts';

interface CloseOptions {
  /** The time for which `/ready` answers no before the port closes, so that load balancers notice. */
  drainMs: number;
  /** The time that requests under way can take. */
  finishTimeoutMs: number;
  /** Ends what waits for its turn only. */
  onClosing: () => void;
}

const CLOSE_OPTIONS: CloseOptions = { drainMs: 0, finishTimeoutMs: 8000, onClosing() {} };

const IDLE_SWEEP_INTERVAL_MS = 50;

/**
 * Stops serving (docs/contract/reliability.md A7): not ready, drain, close the port, let requests finish, cut what is
 * left. True when nothing had to be cut. New requests on open connections are refused with 503 from the second step
 * on.
 */
export async function closeGracefully(
  server: HttpServer,
  options: Partial<CloseOptions> = {},
): Promise<boolean> {
  const { drainMs, finishTimeoutMs, onClosing } = { ...CLOSE_OPTIONS, ...options };
  const node = server.app.server;
  server.setPhase('draining');
  if (drainMs > 0) await wait(drainMs);
  server.setPhase('closing');
  onClosing();

  let isClean = true;
  // An answer that was on its way when the phase changed leaves its connection open; it is idle once sent.
  const sweep = setInterval(() => node.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  const deadline = setTimeout(() => {
    isClean = false;
    node.closeAllConnections();
  }, finishTimeoutMs);
  try {
    await server.app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(deadline);
  }
  return isClean;
}
