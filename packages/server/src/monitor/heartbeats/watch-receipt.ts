import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { errorFields } from '../../platform/error-fields.ts';
import { writeWatch } from './watch.queries.ts';

const INTERVAL_MS = 15_000;

/** Writes every so often that check-ins can be received, until it is stopped. */
export function watchReceipt(database: Database, log: Logger): { stop(): Promise<void> } {
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;
  function next(): void {
    if (isWriting) return;
    isWriting = true;
    writing = writeWatch(database, 'api')
      .catch((error: Error) =>
        log.debug(errorFields(error), 'that check-ins are received could not be written'),
      )
      .finally(() => {
        isWriting = false;
      });
  }
  next();
  const timer = setInterval(next, INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await writing;
    },
  };
}
