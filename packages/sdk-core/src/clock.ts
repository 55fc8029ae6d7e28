import type { Client } from './client.ts';
import type { Answer } from './sending/host.ts';

const IGNORED_MS = 30_000;
const TOLD_MS = 300_000;

/**
 * Compares the `Date` of answers with the host's clock (docs/contract/clients.md 8.4): pass it as `onAnswer`. In
 * browsers the header cannot be read.
 */
export function createClockCheck(
  now: () => number,
  client: () => Pick<Client, 'setClockOffset' | 'diagnose'>,
): (answer: Answer) => void {
  let isTold = false;
  return ({ headers }) => {
    const date = headers?.date;
    const serverMs = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(serverMs)) return;
    // The header has whole seconds.
    const offsetMs = serverMs + 500 - now();
    const isOff = Math.abs(offsetMs) > IGNORED_MS;
    client().setClockOffset(isOff ? Math.round(offsetMs) : 0);
    if (Math.abs(offsetMs) > TOLD_MS && !isTold) {
      isTold = true;
      client().diagnose('clock_skew', { seconds: Math.round(offsetMs / 1000) });
    }
  };
}
