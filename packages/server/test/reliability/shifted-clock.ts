import { readFileSync } from 'node:fs';

/**
 * Preloaded by every process and thread of the program: its wall clock is apart from the machine's by as many
 * milliseconds as a file says, which is read again and again.
 */

/** Set for the program: where the offset stands. */
export const CLOCK_FILE_VARIABLE = 'CULPRIT_TEST_CLOCK_FILE';

const READ_INTERVAL_MS = 50;
const file = process.env[CLOCK_FILE_VARIABLE];
let offsetMs = 0;

if (file !== undefined) {
  const RealDate = Date;

  function readOffset(path: string): void {
    try {
      offsetMs = Number(readFileSync(path, 'utf8'));
    } catch {
      // Nobody has moved it yet.
    }
  }

  readOffset(file);
  setInterval(() => readOffset(file), READ_INTERVAL_MS).unref();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [RealDate.now() + offsetMs] : values, newTarget),
    get: (target, key, receiver) =>
      key === 'now' ? () => RealDate.now() + offsetMs : Reflect.get(target, key, receiver),
  });
}
