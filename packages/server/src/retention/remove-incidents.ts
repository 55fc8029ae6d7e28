import { findAwaitedIncidents } from '../availability/runs.queries.ts';
import type { Database } from '../platform/db/database.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { projectFolder } from '../projects/project-objects.ts';
import { PURGED_TABLES, purgeIncidentRows } from '../projects/purge.queries.ts';
import {
  holdExpiredIncidents,
  type IncidentPlace,
  listAgingIncidents,
  listIncidentTombstones,
  removeIncidents,
  removeIncidentTombstones,
} from './old-incidents.queries.ts';
import { removeContextRows, removeIncidentEventRows } from './old-rows.queries.ts';
import { REST_SECONDS } from './remove-objects.ts';
import { holdProject } from './retention.queries.ts';

/** Read at a time to be judged. */
const INCIDENTS_PER_PAGE = 5000;
/** Ended in one transaction (incidents.md 8). */
const INCIDENTS_PER_BATCH = 500;
/** Cleared at a time: an incident can have a thousand rows of users. */
const TOMBSTONES_PER_STEP = 50;
const EVENT_ROWS_PER_STEP = 5000;
const OBJECTS_PER_STEP = 500;

/** What goes with an incident, besides its event rows. */
export const INCIDENT_TABLES: readonly string[] = PURGED_TABLES.filter(
  ({ way }) => way === 'by_incident',
).map(({ table }) => table);

/**
 * Ends the incidents of a project that are past their window: with the commit they, their bundles and rows are gone for
 * everybody. Incidents that live on lose the context rows that are older than the window.
 */
export async function* endIncidents(
  projectId: string,
  keptFromMs: number,
  database: Database,
): AsyncGenerator<void> {
  let after: IncidentPlace | null = null;
  for (;;) {
    const page = await listAgingIncidents(database, projectId, keptFromMs, after, INCIDENTS_PER_PAGE);
    const expired = page.filter((incident) => incident.isExpired);
    for (const incidentIds of batchesOf(expired)) {
      await database.transaction(async (transaction) => {
        // Nothing may be buried behind the deletion of the project, which would leave it there.
        if (!(await holdProject(transaction, projectId))) return;
        const held = await holdExpiredIncidents(transaction, projectId, incidentIds, keptFromMs);
        // Asked behind the locks. An id that was ended must not come back: what is left of it is still to be removed.
        const awaited = new Set(await findAwaitedIncidents(transaction, projectId, held));
        await removeIncidents(
          transaction,
          projectId,
          held.filter((incidentId) => !awaited.has(incidentId)),
        );
      });
      yield;
    }
    for (const incidentIds of batchesOf(page.filter((each) => each.isLongLived && !each.isExpired))) {
      await removeContextRows(database, incidentIds, keptFromMs);
      yield;
    }
    after = page.at(-1) ?? null;
    if (page.length < INCIDENTS_PER_PAGE) return;
  }
}

/**
 * Removes what ended incidents left: rows at once, and once more together with the folder of their bundles when
 * everything that was under way at their end is over. A worker that found the incident before may have written behind it.
 */
export async function* clearEndedIncidents(
  projectId: string,
  { database, objects }: { database: Database; objects: ObjectStore },
): AsyncGenerator<void> {
  let afterId: string | null = null;
  for (;;) {
    const ended = await listIncidentTombstones(
      database,
      projectId,
      REST_SECONDS,
      afterId,
      TOMBSTONES_PER_STEP,
    );
    if (ended.length === 0) return;
    const incidentIds = ended.map(({ incidentId }) => incidentId);
    for (const table of INCIDENT_TABLES) await purgeIncidentRows(database, table, incidentIds);
    let removed = EVENT_ROWS_PER_STEP;
    while (removed === EVENT_ROWS_PER_STEP) {
      removed = await removeIncidentEventRows(database, incidentIds, EVENT_ROWS_PER_STEP);
      yield;
    }
    const rested = ended.filter(({ isRested }) => isRested).map(({ incidentId }) => incidentId);
    for (const incidentId of rested) {
      let deleted = OBJECTS_PER_STEP;
      while (deleted === OBJECTS_PER_STEP) {
        const folder = `${projectFolder('bundles', projectId)}/${incidentId}`;
        deleted = await objects.deleteFolder(folder, OBJECTS_PER_STEP);
        yield;
      }
    }
    await removeIncidentTombstones(database, rested);
    afterId = incidentIds.at(-1) ?? null;
  }
}

function batchesOf(incidents: readonly { incidentId: string }[]): string[][] {
  const batches: string[][] = [];
  for (let start = 0; start < incidents.length; start += INCIDENTS_PER_BATCH) {
    batches.push(incidents.slice(start, start + INCIDENTS_PER_BATCH).map((each) => each.incidentId));
  }
  return batches;
}
