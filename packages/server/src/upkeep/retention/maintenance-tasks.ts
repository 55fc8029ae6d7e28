import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import type { PlanSettings } from '../../workspace/billing/plan.ts';
import { longestIncidentDays } from '../../workspace/billing/retention-windows.ts';
import { countBlocks } from '../purge/purge.queries.ts';
import {
  deleteEventIds,
  deleteSuppressionKeys,
  dropEventDay,
  listEventDayIndexes,
  summarizeEventDay,
} from './maintenance.queries.ts';

/** 8 MB of the table. */
const BLOCKS_PER_STEP = 1024;
/** PostgreSQL's code for a lock that did not come in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Notes which blocks of the days of events hold which projects. Only limited plans search rows by project. */
export async function* summarizeEventDays(database: Database, plans: PlanSettings): AsyncGenerator<void> {
  if (!plans.isEnforced) return;
  for (const dayIndex of await listEventDayIndexes(database)) {
    await summarizeEventDay(database, dayIndex);
    yield;
  }
}

/** Deletes the event ids that no event can repeat. */
export function deleteOldEventIds(database: Database): AsyncGenerator<void> {
  return blockSteps(database, 'event_ids', deleteEventIds);
}

/** Deletes the keys of suppression reports that nothing had for as long. */
export function deleteOldSuppressionKeys(database: Database): AsyncGenerator<void> {
  return blockSteps(database, 'suppression_keys', deleteSuppressionKeys);
}

/** Goes through a table some blocks at a time. */
async function* blockSteps(
  database: Database,
  table: string,
  remove: (database: Database, blocks: { from: number; to: number }) => Promise<void>,
): AsyncGenerator<void> {
  const blocks = await countBlocks(database, table);
  for (let from = 0; from < blocks; from += BLOCKS_PER_STEP) {
    await remove(database, { from, to: from + BLOCKS_PER_STEP });
    yield;
  }
}

/**
 * Drops days of events that no project needs, one after the other, as soon as they may be deleted. A day that is in use
 * is tried again later.
 */
export async function* dropEventDays({
  database,
  plans,
  log,
}: {
  database: Database;
  plans: PlanSettings;
  log: Logger;
}): AsyncGenerator<void> {
  try {
    while (await dropEventDay(database, longestIncidentDays(plans))) {
      log.info('an old day of events removed');
      yield;
    }
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    log.info('an old day of events is in use and stays for now');
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}
