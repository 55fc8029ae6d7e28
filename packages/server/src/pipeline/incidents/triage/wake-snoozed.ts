import type { Database } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents, updateIncidents } from '../processing/locked-incidents.queries.ts';
import { wake } from '../processing/wake-incident.ts';
import { findOverslept } from './snooze.queries.ts';

/** Incidents that one transaction wakes. */
const INCIDENTS_PER_STEP = 200;

/**
 * Wakes incidents of one project whose time has passed (docs/contract/team-workflow.md 3.2, Z2).
 * @returns whether there may be more
 */
export async function wakeSnoozed(database: Database): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const found = await findOverslept(transaction, INCIDENTS_PER_STEP);
    if (found.size === 0) return false;
    const held = await lockIncidents(transaction, [...found.keys()]);
    const nowMs = await readClock(transaction);
    // Another process may have woken it, or a person may have snoozed it again.
    const over = held.filter(({ snooze }) => snooze !== null && snooze.untilMs <= nowMs);
    insertLifecycleEvents(
      transaction,
      over.map((incident) => wake(incident, found.get(incident.incidentId) ?? '', 'time', {})),
    );
    updateIncidents(transaction, over);
    return found.size === INCIDENTS_PER_STEP;
  });
}
