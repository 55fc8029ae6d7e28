import { parseId } from '../../src/platform/ids.ts';
import { claimJobs, type Job } from '../../src/platform/jobs/job-queue.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { TABLES } from '../../src/roles/tables.ts';
import type { RetentionOptions } from '../../src/upkeep/retention/clean-project.ts';
import { CLEAN_PROJECT, RETENTION_LANE } from '../../src/upkeep/retention/retention.jobs.ts';
import { queueDueProjects } from '../../src/upkeep/retention/retention.queries.ts';
import type { PlanSettings } from '../../src/workspace/billing/plan.ts';
import { countRows } from './count-rows.ts';
import type { TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';
import { moveClock } from './move-clock.ts';

/** What makes the service look for old data all the time instead of every minute. */
export const QUICK_LOOKS = { retryScale: 0.001 };

/** Moves the clock that far from the real one and waits until everything was cleaned by it: two looks, as time passes. */
export async function ageTo(culprit: TestCulprit, offsetMs: number): Promise<void> {
  await moveClock(culprit.database, offsetMs);
  await cleaned(culprit);
}

/** Waits until no project is due to be cleaned. */
export async function cleaned(culprit: TestCulprit): Promise<void> {
  await eventually(async () => {
    const due = await countRows(
      culprit,
      `projects p where deleted_at is null and (retention_due_at <= culprit_now()
        or exists (select from jobs j where j.fairness_key = p.project_id and j.lane = 'retention'))`,
    );
    if (due > 0) throw new Error(`${due} projects are still due`);
  });
}

/** Takes the cleaning of a project that is due, as a worker would; undefined when none is. */
export async function claimCleaning(culprit: TestCulprit): Promise<Job | undefined> {
  // In one transaction, before the worker of the service can hear of the job.
  return await culprit.database.transaction(async (transaction) => {
    await queueDueProjects(transaction);
    const lane = { name: RETENTION_LANE, kinds: [CLEAN_PROJECT] };
    const { jobs } = await claimJobs(transaction, lane, '00000000-0000-0000-0000-000000000000', 1);
    return jobs[0];
  });
}

/** What a worker cleans with; a test may put its own in place. */
export async function cleaningOptions(
  culprit: TestCulprit,
  plans: PlanSettings,
  own: Partial<RetentionOptions> = {},
): Promise<RetentionOptions> {
  return {
    database: culprit.database,
    objects: await openObjectStore(culprit.objectStore),
    plans,
    tables: TABLES,
    stopping: new AbortController().signal,
    ...own,
  };
}

/** Rows that a project has, by table: of its incidents, their evidence, and what raw events leave. */
export async function keptRows(culprit: TestCulprit, projectId: string): Promise<Record<string, number>> {
  const id = parseId(['proj'], projectId) ?? '';
  const kept: Record<string, number> = {};
  for (const table of OWN_TABLES) {
    const rows = await countRows(culprit, `${table} where project_id = $1`, [id]);
    if (rows > 0) kept[table] = rows;
  }
  return kept;
}

/** Tables that name the project in each row. */
const OWN_TABLES = [
  ...[
    'incidents',
    'bundles',
    'events',
    'lifecycle_events',
    'deployments',
    'services',
    'batches',
    'dead_letters',
  ],
  ...['object_tombstones', 'incident_tombstones'],
];

/** Tables that name incidents only; with a fresh database they hold nothing but what a test put there. */
const INCIDENT_TABLES = ['incident_minutes', 'incident_members', 'incident_samples', 'incident_context'];

/** Rows by table that hang on incidents which are not there. */
export async function danglingRows(culprit: TestCulprit): Promise<Record<string, number>> {
  const dangling: Record<string, number> = {};
  for (const table of [...INCIDENT_TABLES, 'bundles', 'lifecycle_events', 'events']) {
    const rows = await countRows(
      culprit,
      `${table} t where incident_id is not null
        and not exists (select from incidents i where i.incident_id = t.incident_id)`,
    );
    if (rows > 0) dangling[table] = rows;
  }
  return dangling;
}
