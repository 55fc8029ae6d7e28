import pg from 'pg';
import { countRows } from './count-rows.ts';
import type { TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';

/** Runs `work` while another transaction holds what `statement` locks; commits it afterwards. */
export async function whileLocked<Result>(
  culprit: TestCulprit,
  statement: string,
  work: (holder: pg.Client) => Promise<Result>,
): Promise<Result> {
  const holder = new pg.Client({ connectionString: culprit.databaseUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(statement);
    const result = await work(holder);
    await holder.query('commit');
    return result;
  } finally {
    await holder.end();
  }
}

/** Waits until a statement of the intake is held up by a lock. */
export async function intakeWaitsForLock(culprit: TestCulprit): Promise<void> {
  await eventually(async () => {
    const waiting = await countRows(
      culprit,
      `pg_stat_activity where datname = current_database() and application_name = 'culprit-intake'
        and wait_event_type = 'Lock'`,
    );
    if (waiting === 0) throw new Error('the intake waits for no lock');
  });
}

/** Runs `work` while inserts into a table run a piece of PL/pgSQL first, such as one that raises. */
export async function whileInsertsRun<Result>(
  culprit: TestCulprit,
  table: string,
  code: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { database } = culprit;
  await database.script(`
    create function test_before_insert() returns trigger language plpgsql as $$
    begin
      ${code}
      return new;
    end $$;
    create trigger test_before_insert before insert on ${table} for each row execute function test_before_insert();`);
  try {
    return await work();
  } finally {
    await database.script(`drop trigger test_before_insert on ${table}; drop function test_before_insert();`);
  }
}
