import { countRuleHits } from '../capture/rule-hits.queries.ts';
import { restartSchedules } from '../monitor/availability/claims.queries.ts';
import { claimDueRecoveries } from '../monitor/availability/runs.queries.ts';
import { settleRecoveries } from '../monitor/availability/settle-recoveries.ts';
import { judgeHeartbeats } from '../monitor/heartbeats/judge-heartbeats.ts';
import { claimDueHeartbeatRecoveries } from '../monitor/heartbeats/runs.queries.ts';
import { createReports } from '../notify/reports/create-reports.ts';
import { judgeThresholds } from '../pipeline/incidents/thresholds/judge-thresholds.ts';
import { resolveSilent } from '../pipeline/incidents/triage/resolve-silent.ts';
import { wakeSnoozed } from '../pipeline/incidents/triage/wake-snoozed.ts';
import { deleteExpired } from '../platform/db/delete-expired.ts';
import { deleteObjectsWithoutProject } from '../upkeep/retention/delete-expired-objects.ts';
import {
  deleteOldEventIds,
  deleteOldSuppressionKeys,
  dropEventDays,
  summarizeEventDays,
} from '../upkeep/retention/maintenance-tasks.ts';
import { queueDueProjects } from '../upkeep/retention/retention.queries.ts';
import { TABLES } from './tables.ts';
import type { WorkerRuntime } from './worker-runtime.ts';

/** One periodic task of the worker. */
export interface ScheduleRow {
  /** The description of the task in the log; for a task with one leader also the name of its lease in the database. */
  readonly name: string;
  readonly intervalMs: number;
  /** A statement that finds a row when it has something to do, for a task that is woken then. */
  readonly due?: string;
  /** Each worker process runs it at its start and after every interval, or one of them all after every interval. */
  readonly runBy: 'each process' | 'one leader';
  /** Everything that is to do now, in short steps, until nothing is left; a stop ends it between two steps. */
  steps(runtime: WorkerRuntime): AsyncIterable<void>;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The interval for rows that expire without belonging to the retention of a project. */
const EXPIRY_INTERVAL_MS = 5 * MINUTE_MS;
/** Matches that one statement adds to their rules. */
const RULE_HITS_PER_STEP = 5000;

export const SCHEDULES: readonly ScheduleRow[] = [
  {
    // `hit_count` may lag behind the events (docs/contract/ingestion.md 5.3 step 7 counts them asynchronously).
    name: 'count-rule-hits',
    intervalMs: MINUTE_MS,
    due: 'select from capture_rule_hits',
    runBy: 'each process',
    steps: ({ database }) =>
      untilDone(async () => (await countRuleHits(database, RULE_HITS_PER_STEP)) === RULE_HITS_PER_STEP),
  },
  {
    name: 'settle-recoveries',
    intervalMs: MINUTE_MS,
    due: 'select from availability_checks where awaited_batch_id is not null',
    runBy: 'each process',
    steps: ({ database }) => untilDone(() => settleRecoveries(database, claimDueRecoveries)),
  },
  {
    name: 'settle-heartbeat-recoveries',
    intervalMs: MINUTE_MS,
    due: 'select from heartbeats where awaited_batch_id is not null',
    runBy: 'each process',
    steps: ({ database }) => untilDone(() => settleRecoveries(database, claimDueHeartbeatRecoveries)),
  },
  {
    // A missed run is noticed within half a minute (docs/contract/team-workflow.md 8.3).
    name: 'judge-heartbeats',
    intervalMs: 15 * SECOND_MS,
    runBy: 'each process',
    steps: (runtime) => untilDone(() => judgeHeartbeats(runtime)),
  },
  {
    // Noticed within a minute (docs/contract/team-workflow.md 3.2).
    name: 'wake-snoozed-incidents',
    intervalMs: 30 * SECOND_MS,
    due: 'select from incidents where snoozed_until <= (select culprit_now())',
    runBy: 'each process',
    steps: ({ database }) => untilDone(() => wakeSnoozed(database)),
  },
  {
    name: 'judge-alert-thresholds',
    intervalMs: 30 * SECOND_MS,
    due: `select from alert_rules where condition_type = 'occurrence_threshold' and is_enabled`,
    runBy: 'each process',
    steps: ({ database }) => untilDone(() => judgeThresholds(database)),
  },
  {
    name: 'resolve-silent-incidents',
    intervalMs: MINUTE_MS,
    due: 'select from projects where resolves_after_days is not null',
    runBy: 'each process',
    steps: ({ database }) => untilDone(() => resolveSilent(database)),
  },
  {
    // Each report is created in the minute in which it is due.
    name: 'make-reports',
    intervalMs: 15 * SECOND_MS,
    runBy: 'each process',
    steps: (runtime) => untilDone(() => createReports(runtime)),
  },
  {
    name: 'queue-due-projects',
    intervalMs: MINUTE_MS,
    runBy: 'each process',
    steps: ({ database }) => untilDone(() => queueDueProjects(database)),
  },
  {
    name: 'drop-event-days',
    intervalMs: MINUTE_MS,
    runBy: 'each process',
    steps: dropEventDays,
  },
  ...deletions(),
  {
    name: 'restart-availability-schedules',
    intervalMs: EXPIRY_INTERVAL_MS,
    runBy: 'each process',
    steps: ({ database }) => once(() => restartSchedules(database)),
  },
  {
    name: 'delete-objects-without-project',
    intervalMs: EXPIRY_INTERVAL_MS,
    runBy: 'one leader',
    steps: deleteObjectsWithoutProject,
  },
  {
    name: 'summarize-event-days',
    intervalMs: HOUR_MS,
    runBy: 'one leader',
    steps: ({ database, plans }) => summarizeEventDays(database, plans),
  },
  {
    name: 'remove-event-ids',
    intervalMs: DAY_MS,
    runBy: 'one leader',
    steps: ({ database }) => deleteOldEventIds(database),
  },
  {
    name: 'remove-suppression-keys',
    intervalMs: DAY_MS,
    runBy: 'one leader',
    steps: ({ database }) => deleteOldSuppressionKeys(database),
  },
];

/** One task for each table with rows that expire. */
function deletions(): ScheduleRow[] {
  return TABLES.flatMap(({ name, retention }) => {
    if (typeof retention === 'string' || 'task' in retention || retention.expired === undefined) return [];
    const { expired } = retention;
    return {
      name: `delete-expired-${name}`,
      intervalMs: EXPIRY_INTERVAL_MS,
      runBy: 'each process',
      steps: ({ database }) => deleteExpired(database, { name, expired }),
    };
  });
}

/** Steps of some work that says whether there may be more. */
async function* untilDone(step: () => Promise<boolean>): AsyncGenerator<void> {
  while (await step()) yield;
}

async function* once(work: () => Promise<unknown>): AsyncGenerator<void> {
  await work();
  yield;
}
