import type { Logger } from 'pino';
import type { PlanSettings } from '../billing/plan.ts';
import { longestIncidentDays } from '../billing/retention-windows.ts';
import type { Database } from '../platform/db/database.ts';
import { countBlocks } from '../projects/purge.queries.ts';
import {
  dropEventDay,
  finishChore,
  listEventDayIndexes,
  removeEventIds,
  summarizeEventDay,
  takeChore,
} from './chores.queries.ts';

export interface ChoreOptions {
  database: Database;
  plans: PlanSettings;
  log: Logger;
  stopping: AbortSignal;
}

/** How long a chore belongs to whoever took it on: a death over it delays the chore by no more. */
const CHORE_SECONDS = 3600;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
/** 8 MB of the table. */
const BLOCKS_PER_STEP = 1024;
/** PostgreSQL's code for a lock that did not come in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * What is removed for all projects together. Days of events go as soon as they may, so that nothing is kept longer than
 * a day behind its window; the rest in its turn, by one worker at a time.
 */
export async function runChores(options: ChoreOptions): Promise<void> {
  const { database, plans } = options;
  await dropEventDays(options);
  // Only then rows are looked for by project.
  if (plans.isEnforced)
    await runChore('summarize-event-days', HOUR_SECONDS, eventDaySteps(database), options);
  await runChore('remove-event-ids', DAY_SECONDS, eventIdSteps(database), options);
}

/** Does a chore that is due, in steps. One that is broken off is due again as if it had not been, a while later. */
async function runChore(
  chore: string,
  everySeconds: number,
  steps: AsyncIterable<void>,
  { database, stopping }: ChoreOptions,
): Promise<void> {
  if (stopping.aborted || !(await takeChore(database, chore, CHORE_SECONDS))) return;
  for await (const _step of steps) {
    if (stopping.aborted) return;
  }
  await finishChore(database, chore, everySeconds);
}

async function* eventDaySteps(database: Database): AsyncGenerator<void> {
  for (const dayIndex of await listEventDayIndexes(database)) {
    await summarizeEventDay(database, dayIndex);
    yield;
  }
}

async function* eventIdSteps(database: Database): AsyncGenerator<void> {
  const blocks = await countBlocks(database, 'event_ids');
  for (let from = 0; from < blocks; from += BLOCKS_PER_STEP) {
    await removeEventIds(database, { from, to: from + BLOCKS_PER_STEP });
    yield;
  }
}

/** Removes days of events that no project needs any more, one after the other. What is in use is tried again later. */
export async function dropEventDays({ database, plans, log, stopping }: ChoreOptions): Promise<void> {
  try {
    while (!stopping.aborted && (await dropEventDay(database, longestIncidentDays(plans)))) {
      log.info('an old day of events removed');
    }
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    log.info('an old day of events is in use and stays for now');
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}
