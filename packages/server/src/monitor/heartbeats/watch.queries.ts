import type { Database, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** The time for which the service can be silent before its silence counts as its own outage. */
const SILENCE_SECONDS_MAX = 60;

/**
 * Writes that this role is there, and when it was not before. The length is measured by the clock of the machine, so that
 * a clock of the service that was moved is no outage. Without a row, after a crash or a restore, all time before is one.
 */
export async function writeWatch(database: Database, role: 'api' | 'worker'): Promise<void> {
  await database.query(
    sql('heartbeat-watch-write')`insert into heartbeat_watch as w (role, seen_at, gap_began_at, gap_ended_at)
          values ($1, clock_timestamp(), '-infinity', culprit_now())
        on conflict (role) do update set seen_at = excluded.seen_at,
          gap_began_at = case when excluded.seen_at - w.seen_at > make_interval(secs => $2)
            then culprit_now() - (excluded.seen_at - w.seen_at) else w.gap_began_at end,
          gap_ended_at = case when excluded.seen_at - w.seen_at > make_interval(secs => $2)
            then culprit_now() else w.gap_ended_at end`,
    [role, SILENCE_SECONDS_MAX],
  );
}

/** Returns true if the service was away in some part of this time, or is while nothing was received for too long. */
export async function wasAway(transaction: Transaction, fromMs: number, toMs: number): Promise<boolean> {
  const rows = await transaction.query(
    sql('heartbeat-watch-read')`select from heartbeat_watch where (gap_began_at <= $2 and gap_ended_at >= $1)
        or seen_at < clock_timestamp() - make_interval(secs => $3)`,
    [new Date(fromMs), new Date(toMs), SILENCE_SECONDS_MAX],
  );
  return rows.length > 0;
}
