import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** Preloaded into every process and thread of the program: worker threads wait until the named file is there. */

export const GATE_VARIABLE = 'CULPRIT_TEST_GATE';

const gate = process.env[GATE_VARIABLE];
if (!isMainThread && gate !== undefined) {
  while (!existsSync(gate)) await delay(20);
}
