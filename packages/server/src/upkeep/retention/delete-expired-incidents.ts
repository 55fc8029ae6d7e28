import { findAwaitedIncidents } from '../../monitor/availability/runs.queries.ts';
import { findIncidentsAwaitedByHeartbeats } from '../../monitor/heartbeats/runs.queries.ts';
import { bundlePlace, earlierBundleFolder } from '../../pipeline/bundles/document/bundle-keys.ts';
import type { Database } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Table } from '../../table.ts';
import { emptyFolder } from '../purge/empty-folder.ts';
import { incidentTables, purgeIncidentRows } from '../purge/purge.queries.ts';
import { REST_SECONDS } from './delete-expired-objects.ts';
import {
  deleteIncidents,
  deleteIncidentTombstones,
  hasIncidentsBetween,
  type IncidentPosition,
  listIncidentTombstones,
  listRetentionCandidates,
  lockExpiredIncidents,
} from './old-incidents.queries.ts';
import { deleteContextRows, deleteIncidentEventRows } from './old-rows.queries.ts';
import { lockSharedProject } from './retention.queries.ts';

/** Read at a time to be judged. */
const INCIDENTS_PER_PAGE = 5000;
/** Ended in one transaction (docs/contract/incidents.md 8). */
const INCIDENTS_PER_BATCH = 500;
/** Cleared at a time: an incident can have a thousand rows of users. */
const TOMBSTONES_PER_STEP = 50;
const EVENT_ROWS_PER_STEP = 5000;

/**
 * Ends the incidents of a project that are past their window: with the commit they, their bundles and rows are gone
 * for everybody. Incidents that live on lose the context rows that are older than the window.
 */
export async function* deleteExpiredIncidents(
  projectId: string,
  keptFromMs: number,
  database: Database,
): AsyncGenerator<void> {
  let after: IncidentPosition | null = null;
  for (;;) {
    const page = await listRetentionCandidates(database, projectId, keptFromMs, after, INCIDENTS_PER_PAGE);
    const expired = page.filter((incident) => incident.isExpired);
    for (const incidentIds of batchesOf(expired)) {
      await database.transaction(async (transaction) => {
        // Nothing may be marked after the deletion of the project, which would leave it there.
        if (!(await lockSharedProject(transaction, projectId))) return;
        const held = await lockExpiredIncidents(transaction, projectId, incidentIds, keptFromMs);
        // Asked behind the locks. An id that was ended must not come back: what is left of it is still to be removed.
        const awaited = new Set([
          ...(await findAwaitedIncidents(transaction, projectId, held)),
          ...(await findIncidentsAwaitedByHeartbeats(transaction, projectId, held)),
        ]);
        await deleteIncidents(
          transaction,
          projectId,
          held.filter((incidentId) => !awaited.has(incidentId)),
        );
      });
      yield;
    }
    for (const incidentIds of batchesOf(page.filter((each) => each.isLongLived && !each.isExpired))) {
      await deleteContextRows(database, incidentIds, keptFromMs);
      yield;
    }
    after = page.at(-1) ?? null;
    if (page.length < INCIDENTS_PER_PAGE) return;
  }
}

/**
 * Removes the rest of ended incidents: their rows immediately, and again together with the objects of their bundles
 * when everything that was under way at their end has finished. A worker that found the incident before may have
 * written rows since.
 */
export async function* deleteExpiredIncidentRows(
  projectId: string,
  { database, objects, tables }: { database: Database; objects: ObjectStore; tables: readonly Table[] },
): AsyncGenerator<void> {
  // Besides its event rows.
  const ownTables = incidentTables(tables);
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
    for (const table of ownTables) await purgeIncidentRows(database, table, projectId, incidentIds);
    let removed = EVENT_ROWS_PER_STEP;
    while (removed === EVENT_ROWS_PER_STEP) {
      removed = await deleteIncidentEventRows(database, incidentIds, EVENT_ROWS_PER_STEP);
      yield;
    }
    const rested = ended.filter(({ isRested }) => isRested).map(({ incidentId }) => incidentId);
    yield* deleteBundleObjects(projectId, rested, { database, objects });
    await deleteIncidentTombstones(database, rested);
    afterId = incidentIds.at(-1) ?? null;
  }
}

/**
 * Removes the documents of incidents: by folder if no other incident has documents in it, which removes the folder too,
 * else by name.
 */
async function* deleteBundleObjects(
  projectId: string,
  incidentIds: readonly string[],
  { database, objects }: { database: Database; objects: ObjectStore },
): AsyncGenerator<void> {
  const emptied = new Set<string>();
  for (const incidentId of incidentIds) {
    const { folder, nameBegins, sharedBy } = bundlePlace(projectId, incidentId);
    if (!emptied.has(folder)) {
      const isInUse = await hasIncidentsBetween(database, projectId, sharedBy, REST_SECONDS);
      if (!isInUse) emptied.add(folder);
      yield* emptyFolder(objects, folder, isInUse ? nameBegins : '');
    }
    yield* emptyFolder(objects, earlierBundleFolder(projectId, incidentId));
  }
}

function batchesOf(incidents: readonly { incidentId: string }[]): string[][] {
  const batches: string[][] = [];
  for (let start = 0; start < incidents.length; start += INCIDENTS_PER_BATCH) {
    batches.push(incidents.slice(start, start + INCIDENTS_PER_BATCH).map((each) => each.incidentId));
  }
  return batches;
}
