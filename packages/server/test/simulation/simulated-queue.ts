import type { Database, Queryable } from '../../src/platform/db/database.ts';
import type { Job } from '../../src/platform/jobs/job-queue.ts';

/** The queue of the program in a database of its own, with a clock that stands still between steps. */

export const LANE = { name: 'simulated', kinds: ['plain', 'keyed'] };

/** Makes the tables of the simulation and puts the clock under its control. */
export async function prepareSimulation(database: Database): Promise<void> {
  await database.script(`
    create table simulated_clock (at timestamptz not null);
    insert into simulated_clock values ('2026-01-01T00:00:00Z');
    create table simulated_effects (job_id bigint not null, kind text not null, key text, triggers text[] not null);
    create or replace function culprit_now() returns timestamptz language sql volatile parallel safe
      as $$ select at from simulated_clock $$`);
}

export async function emptyQueue(database: Database): Promise<void> {
  await database.script('delete from simulated_effects; delete from jobs');
}

export async function advanceClock(database: Database, byMs: number): Promise<void> {
  await database.query(
    {
      name: 'simulation-advance',
      text: `update simulated_clock set at = at + $1::float8 * interval '1 ms'`,
    },
    [byMs],
  );
}

/** Queues a job of its own. */
export async function queuePlainJob(database: Database, projectId: string): Promise<number> {
  const [row] = await database.query<{ job_id: number }>(
    {
      name: 'simulation-queue-plain',
      text: `insert into jobs (lane, kind, fairness_key, payload) values ($1, 'plain', $2, '{}') returning job_id`,
    },
    [LANE.name, projectId],
  );
  if (row === undefined) throw new Error('no job was queued');
  return row.job_id;
}

/** Queues a trigger that a waiting job of the key absorbs, as bundles do it. */
export async function queueTrigger(
  database: Database,
  projectId: string,
  key: string,
  trigger: string,
): Promise<void> {
  await database.query(
    {
      name: 'simulation-queue-keyed',
      text: `insert into jobs as j (lane, kind, fairness_key, key, payload)
        values ($1, 'keyed', $2, $3, jsonb_build_object($4::text, 0))
        on conflict (kind, key) where key is not null do update set
          revision = j.revision + 1,
          payload = j.payload || jsonb_build_object($4::text, j.revision + 1)`,
    },
    [LANE.name, projectId, key, trigger],
  );
}

/** What a worker does in the transaction in which it finishes jobs: the effect, with the triggers it has seen. */
export async function writeEffects(transaction: Queryable, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    await transaction.query(
      {
        name: 'simulation-effect',
        text: 'insert into simulated_effects (job_id, kind, key, triggers) values ($1, $2, $3, $4)',
      },
      [job.jobId, job.kind, job.key, Object.keys(job.payload)],
    );
  }
}

interface Effect {
  jobId: number;
  kind: string;
  triggers: string[];
}

export async function readEffects(database: Database): Promise<Effect[]> {
  const rows = await database.query<{ job_id: number; kind: string; triggers: string[] }>(
    { name: 'simulation-effects', text: 'select job_id, kind, triggers from simulated_effects' },
    [],
  );
  return rows.map((row) => ({ jobId: row.job_id, kind: row.kind, triggers: row.triggers }));
}

export async function countJobs(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    { name: 'simulation-count', text: 'select count(*)::integer as count from jobs' },
    [],
  );
  return row?.count ?? 0;
}
