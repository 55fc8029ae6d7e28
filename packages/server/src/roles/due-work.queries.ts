import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';
import { LANES, ROW_QUEUES } from './lanes.ts';
import { SCHEDULES } from './schedules.ts';

/** Returns the names of the lanes, row queues and periodic tasks that have something to do now, in any process. */
export async function findDueWork(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ name: string }>(DUE_WORK, [
    LANES.map(({ name }) => name),
    LANES.flatMap(({ kinds }) => kinds),
  ]);
  return rows.map(({ name }) => name);
}

const ROW_PARTS = [
  ...ROW_QUEUES.map(({ name, planned }) => ({
    name,
    due: `select from (${planned}) as planned where due_at <= culprit_now()`,
  })),
  ...SCHEDULES.flatMap(({ name, due }) => (due === undefined ? [] : [{ name, due }])),
].map(({ name, due }) => `union all select '${name}' where exists (${due})`);

// Each part ends at the first row that it finds. A lease that ran out is due too: its holder died.
const DUE_WORK = sql('due-work')`
    select served.name from unnest($1::text[]) as served (name)
    where exists (
      select from jobs where jobs.lane = served.name and run_at <= culprit_now()
        and (leased_until is null or leased_until < culprit_now()) and kind = any ($2))
    ${ROW_PARTS.join('\n    ')}`;

/** Returns the milliseconds until something else is due; null while nothing is planned. */
export async function timeUntilDue(database: Queryable): Promise<number | null> {
  const [row] = await database.query<{ wait_ms: number | null }>(NEXT_DUE, []);
  return row?.wait_ms ?? null;
}

const NEXT_DUE = sql('next-due-work')`
    select extract(epoch from min(due_at) - culprit_now())::float8 * 1000 as wait_ms
    from (
      select run_at as due_at from jobs
      ${ROW_QUEUES.map(({ planned }) => `union all ${planned}`).join('\n      ')}) as planned
    where due_at > culprit_now()`;
