import type { Database } from '../../src/platform/db/database.ts';

/**
 * Tests move the one clock of the service (docs/contract/reliability.md A5) instead of waiting. Statements name the
 * function, so that connections which prepared them already see the new one at once.
 */

/** Sets the database clock apart from the real one; 0 puts it right again. */
export async function moveClock(database: Database, offsetMs: number): Promise<void> {
  await replaceClock(database, `clock_timestamp() + interval '${Math.round(offsetMs)} ms'`);
}

/** Stops the database clock at a moment, for exact windows; `moveClock` lets it run again. */
export async function holdClock(database: Database, atMs: number): Promise<void> {
  await replaceClock(database, `timestamptz '${new Date(atMs).toISOString()}'`);
}

/** A database clock that runs faster, so that waits and leases end sooner. */
interface FastClock {
  /** Moves it forward at once. */
  jump(byMs: number): Promise<void>;
}

export async function speedClock(database: Database, factor: number): Promise<FastClock> {
  const start = `timestamptz '${new Date().toISOString()}'`;
  let aheadMs = 0;

  async function jump(byMs: number): Promise<void> {
    aheadMs += byMs;
    const moment = `${start} + (clock_timestamp() - ${start}) * ${factor} + interval '${Math.round(aheadMs)} ms'`;
    await replaceClock(database, moment);
  }

  await jump(0);
  return { jump };
}

async function replaceClock(database: Database, moment: string): Promise<void> {
  await database.script(`
    create or replace function culprit_now() returns timestamptz
      language sql volatile parallel safe
      as $$ select date_trunc('milliseconds', ${moment}) $$`);
}
