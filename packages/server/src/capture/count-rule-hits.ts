import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { countRuleHits } from './rule-hits.queries.ts';

/** How far `hit_count` may lag behind the events (ingestion.md 5.3 step 7 counts them asynchronously). */
const COUNT_INTERVAL_MS = 1000;
const NOTES_PER_STATEMENT = 5000;

/** Adds up the matches of capture rules every now and then, in every worker process: whoever comes first takes them. */
export function startRuleHitCount(database: Database, log: Logger): { stop(): Promise<void> } {
  let underWay: Promise<void> | null = null;

  async function count(): Promise<void> {
    try {
      while ((await countRuleHits(database, NOTES_PER_STATEMENT)) === NOTES_PER_STATEMENT);
    } catch (error) {
      // They stay noted, and the next look counts them.
      log.debug({ error: error instanceof Error ? error.message : String(error) }, 'rule hits not counted');
    }
  }

  const timer = setInterval(() => {
    underWay ??= count().finally(() => {
      underWay = null;
    });
  }, COUNT_INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}
