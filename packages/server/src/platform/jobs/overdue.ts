import type { Queryable } from '../db/database.ts';

/** True when a job of the lanes has been due for more than a minute and nobody holds it. */
export async function hasOverdueJobs(database: Queryable, lanes: readonly string[]): Promise<boolean> {
  const [row] = await database.query<{ is_overdue: boolean }>(
    {
      name: 'jobs-overdue',
      text: `select exists (select from jobs where lane = any ($1) and leased_until is null
        and run_at < culprit_now() - interval '60 s') as is_overdue`,
    },
    [[...lanes]],
  );
  return row?.is_overdue ?? false;
}
