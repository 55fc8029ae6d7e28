import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

const WINDOW_SECONDS = 60;

/**
 * Counts a test against its project's budget of the minute, exactly, however many processes there are. The minute begins
 * with the project's first test.
 */
export async function consumeTest(
  database: Queryable,
  projectId: string,
  testsMax: number,
): Promise<{ granted: true } | { granted: false; retryAfterSeconds: number }> {
  const [row] = await database.query<{ is_taken: boolean; wait_seconds: number | null }>(TAKE, [
    projectId,
    testsMax,
    WINDOW_SECONDS,
  ]);
  if (row?.is_taken === true) return { granted: true };
  const waitSeconds = Math.ceil(row?.wait_seconds ?? WINDOW_SECONDS);
  return { granted: false, retryAfterSeconds: Math.min(Math.max(waitSeconds, 1), WINDOW_SECONDS) };
}

// A window that begins far ahead is one of a clock that was put back since.
const TAKE = sql('availability-test-take')`
    with moment as (select culprit_now() as now), taken as (
      insert into availability_tests as t (project_id, started_at, tests)
      select $1, now, 1 from moment
      on conflict (project_id) do update set
        started_at = case when t.started_at <= excluded.started_at - make_interval(secs => $3)
          or t.started_at > excluded.started_at + make_interval(secs => $3) then excluded.started_at else t.started_at end,
        tests = case when t.started_at <= excluded.started_at - make_interval(secs => $3)
          or t.started_at > excluded.started_at + make_interval(secs => $3) then 1 else t.tests + 1 end
      where t.tests < $2 or t.started_at <= excluded.started_at - make_interval(secs => $3)
        or t.started_at > excluded.started_at + make_interval(secs => $3)
      returning tests
    )
    select exists (select from taken) as is_taken,
      (select extract(epoch from t.started_at + make_interval(secs => $3) - now)::float8
        from availability_tests t, moment where t.project_id = $1) as wait_seconds`;
