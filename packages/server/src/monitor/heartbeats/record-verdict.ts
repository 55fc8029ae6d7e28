import { resolveRecovered } from '../../pipeline/incidents/processing/resolve-recovered.ts';
import { insertBatch, type NewBatch } from '../../pipeline/ingest/ingest.queries.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { advanceCheck } from '../availability/check-state.ts';
import { addRunToDay } from './days.queries.ts';
import { type LockedHeartbeat, lockHeartbeat, saveHeartbeat } from './locked-heartbeat.queries.ts';
import { type Failure, type FailureReport, isSameReport, reportOf, storeFailure } from './report-failure.ts';
import { type RunChange, saveRun } from './runs.queries.ts';

export interface RecordingOptions {
  database: Database;
  objects: ObjectStore;
}

/** The result of a look at a heartbeat. */
export interface Verdict<Result> {
  /** The heartbeat with its new slot and its new last check-in; its state is counted here. */
  after: LockedHeartbeat;
  run: RunChange | null;
  /** Null: nothing that counts. */
  outcome: 'success' | Failure | null;
  result: Result;
}

type Recorded<Result> = { kind: 'done'; result: Result } | { kind: 'wanted'; report: FailureReport };

/** Between two looks the place of a failure may change. */
const LOOKS_MAX = 5;

/**
 * Records the result of a look at a heartbeat, for its run, its state and its incident, in one transaction. A failure
 * that belongs to an incident becomes an event, whose object is stored before (docs/contract/reliability.md A1).
 * @param judge reads and decides; it writes nothing. Null: there is nothing to record.
 * @returns the result of the verdict; null when the heartbeat was deleted or nothing was recorded
 * @throws ObjectStoreUnavailableError, DatabaseUnavailableError
 */
export async function recordVerdict<Result>(
  { database, objects }: RecordingOptions,
  heartbeat: { projectId: string; heartbeatId: string },
  judge: (transaction: Transaction, held: LockedHeartbeat) => Promise<Verdict<Result> | null>,
): Promise<Result | null> {
  let stored: { report: FailureReport; batch: NewBatch } | null = null;
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const known: { report: FailureReport; batch: NewBatch } | null = stored;
    const recorded: Recorded<Result | null> = await database.transaction(async (transaction) => {
      const held = await lockHeartbeat(transaction, heartbeat);
      const verdict = held === null ? null : await judge(transaction, held);
      if (held === null || verdict === null) return { kind: 'done', result: null };
      return await write(transaction, held, verdict, known);
    });
    if (recorded.kind === 'done') return recorded.result;
    stored = { report: recorded.report, batch: await storeFailure(objects, recorded.report) };
  }
  throw new Error('the incident of a heartbeat changed at every look');
}

async function write<Result>(
  transaction: Transaction,
  held: LockedHeartbeat,
  { after, run, outcome, result }: Verdict<Result>,
  stored: { report: FailureReport; batch: NewBatch } | null,
): Promise<Recorded<Result>> {
  const { settings } = held;
  const isCounted = outcome !== null && settings.isEnabled;
  const { state, news } = isCounted
    ? advanceCheck(held.state, outcome === 'success', settings)
    : { state: held.state, news: null };
  let batch: NewBatch | null = null;
  let report: FailureReport | null = null;
  if (news === 'failure' && outcome !== null && outcome !== 'success') {
    report = await reportOf(transaction, held, outcome, stored?.report ?? null);
    if (stored === null || !isSameReport(report, stored.report)) return { kind: 'wanted', report };
    batch = stored.batch;
    await insertBatch(transaction, batch);
  }
  if (run !== null) {
    await saveRun(transaction, held, run);
    // A begin is no end yet, and an end behind the time-out changes nothing.
    if (outcome !== null || run.status === 'unknown') await addRunToDay(transaction, held, run);
  }
  const awaitedBatchId = news === 'recovery' ? await recover(transaction, held) : null;
  const place =
    report === null || batch === null
      ? null
      : {
          incidentId: report.check.incidentId,
          environment: report.environment,
          service: report.service,
          batchId: batch.batch_id,
        };
  await saveHeartbeat(transaction, { ...after, state }, place, awaitedBatchId);
  return { kind: 'done', result };
}

/** @returns the batch that the resolution has to wait for, because its failure is not processed yet */
async function recover(transaction: Transaction, held: LockedHeartbeat): Promise<string | null> {
  const { incident, isReportWaiting, reportedBatchId, projectId } = held;
  if (incident === null) return null;
  const resolved = await resolveRecovered(transaction, projectId, [incident.incidentId]);
  return isReportWaiting && resolved === 0 ? reportedBatchId : null;
}
