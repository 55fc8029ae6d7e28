import { availabilityFingerprint } from '@culprit/evidence/events/fingerprint/fingerprint';
import { resolveRecovered } from '../../pipeline/incidents/processing/resolve-recovered.ts';
import { insertBatch, type NewBatch } from '../../pipeline/ingest/ingest.queries.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { type CheckOutcome, isDecisive } from './check-outcome.ts';
import { advanceCheck } from './check-state.ts';
import type { ClaimedRun } from './claims.queries.ts';
import { downtimeMs } from './daily-rollup.ts';
import { addDowntime, addRunToDay } from './days.queries.ts';
import { type FailureReport, isSameReport, SERVICE_DEFAULT, storeReport } from './failure-report.ts';
import { findIncidentOfCheck, finishRun, insertResult, type LockedCheck, lockCheck } from './runs.queries.ts';

export interface RecordingOptions {
  database: Database;
  objects: ObjectStore;
}

/** A report whose object is stored. */
interface StoredReport {
  report: FailureReport;
  batch: NewBatch;
}

/** The result of an attempt to record: it is written, or an object has to be stored first. */
type Recorded = { kind: 'done'; waitMs: number | null } | { kind: 'wanted'; report: FailureReport };

/** Between two attempts another transaction may have changed the incident to which the failure belongs. */
const LOOKS_MAX = 5;

/**
 * Records the outcome of a run, with its effects on its check, its day and its incident, in one transaction. A failure
 * that is reported to an incident becomes an event, whose object is stored before (docs/contract/reliability.md A1).
 * Nothing is recorded of a run that another process has taken over since.
 * @returns milliseconds until the next run; null if this process does not decide it
 * @throws ObjectStoreUnavailableError, DatabaseUnavailableError
 */
export async function recordRun(
  { database, objects }: RecordingOptions,
  run: ClaimedRun,
  outcome: CheckOutcome,
): Promise<number | null> {
  let stored: StoredReport | null = null;
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const known: StoredReport | null = stored;
    const recorded: Recorded = await database.transaction(
      async (transaction): Promise<Recorded> => await record(transaction, run, outcome, known),
    );
    if (recorded.kind === 'done') return recorded.waitMs;
    const report: FailureReport = recorded.report;
    stored = { report, batch: await storeReport(objects, report, run, outcome) };
  }
  throw new Error('the incident of a check changed at every look');
}

async function record(
  transaction: Transaction,
  run: ClaimedRun,
  outcome: CheckOutcome,
  stored: StoredReport | null,
): Promise<Recorded> {
  const check = await lockCheck(transaction, run);
  if (check === null) return { kind: 'done', waitMs: null };
  if (!isDecisive(outcome)) {
    if (!(await insertResult(transaction, run, outcome))) return { kind: 'done', waitMs: null };
    return { kind: 'done', waitMs: await finishRun(transaction, run, outcome, null) };
  }
  const isSuccess = outcome.status === 'success';
  const { state, news } = advanceCheck(check.state, isSuccess, check);
  const report = news === 'failure' ? await reportOf(transaction, run, check, stored) : null;
  if (report !== null && (stored === null || !isSameReport(report, stored.report))) {
    return { kind: 'wanted', report };
  }
  // Before anything is changed: a slot that was run already counts no more.
  if (!(await insertResult(transaction, run, outcome))) return { kind: 'done', waitMs: null };
  const batch = report === null ? null : (stored?.batch ?? null);
  if (batch !== null) await insertBatch(transaction, batch);
  await writeDay(transaction, run, outcome, check, {
    reportedId: report?.check.incidentId ?? null,
    hasRecovered: news === 'recovery',
  });
  const advance = {
    state,
    openFailure: isSuccess ? null : { startedAtMs: run.startedAtMs, intervalSeconds: check.intervalSeconds },
    report:
      report === null || batch === null
        ? null
        : {
            incidentId: report.check.incidentId,
            environment: report.environment,
            service: report.service,
            batchId: batch.batch_id,
          },
    awaitedBatchId: news === 'recovery' ? await recover(transaction, run, check) : null,
  };
  return { kind: 'done', waitMs: await finishRun(transaction, run, outcome, advance) };
}

/**
 * Returns the incident to which a failure belongs (docs/contract/account.md 7.7): the one of the last report, as long
 * as that is open or has the service and environment that the check has now; else the existing one under these, else a
 * new one.
 */
async function reportOf(
  transaction: Transaction,
  run: ClaimedRun,
  check: LockedCheck,
  stored: StoredReport | null,
): Promise<FailureReport> {
  const { incident } = check;
  const own = { environment: check.environment, service: check.serviceName ?? SERVICE_DEFAULT };
  const isHere = incident?.environment === own.environment && incident.service === own.service;
  // An id is never used again: what its retention removes of it may still be on the way out.
  const isThere = incident?.status !== null || check.isReportWaiting;
  const isKept = incident !== null && (isOpen(check) || (isHere && isThere));
  const place = isKept ? { environment: incident.environment, service: incident.service } : own;
  const found = isKept
    ? incident.incidentId
    : await findIncidentOfCheck(transaction, {
        projectId: run.projectId,
        ...own,
        fingerprint: availabilityFingerprint(run.checkId).value,
      });
  return {
    projectId: run.projectId,
    receivedAtMs: check.nowMs,
    ...place,
    check: {
      kind: 'availability_check',
      checkId: run.checkId,
      name: check.name,
      incidentId: found ?? stored?.report.check.incidentId ?? newUuid(),
    },
  };
}

/** Returns true if the incident of a check is open, or will be once its first failure is processed. */
function isOpen({ incident, state, isReportWaiting }: LockedCheck): boolean {
  if (incident === null) return false;
  if (incident.status === null) return state.isReported && isReportWaiting;
  return incident.status !== 'resolved';
}

/**
 * Resolves the incident of a check that recovered.
 * @returns the batch that the resolution has to wait for, because the failure it would resolve is not processed yet
 */
async function recover(
  transaction: Transaction,
  run: ClaimedRun,
  check: LockedCheck,
): Promise<string | null> {
  const { incident, isReportWaiting, reportedBatchId } = check;
  if (incident === null) return null;
  const resolved = await resolveRecovered(transaction, run.projectId, [incident.incidentId]);
  // A failure that is still to come leaves an incident resolved that was resolved behind it (T10).
  return isReportWaiting && resolved === 0 ? reportedBatchId : null;
}

async function writeDay(
  transaction: Transaction,
  run: ClaimedRun,
  outcome: CheckOutcome,
  check: LockedCheck,
  news: { reportedId: string | null; hasRecovered: boolean },
): Promise<void> {
  const { openFailure } = check;
  if (openFailure !== null) {
    const { startedAtMs, intervalSeconds } = openFailure;
    const downMs = downtimeMs(startedAtMs, intervalSeconds, run.startedAtMs);
    await addDowntime(transaction, run.checkId, startedAtMs, downMs);
  }
  const wasOpen = isOpen(check);
  await addRunToDay(transaction, {
    checkId: run.checkId,
    projectId: run.projectId,
    startedAtMs: run.startedAtMs,
    isSuccess: outcome.status === 'success',
    durationMs: outcome.durationMs,
    hasOpened: news.reportedId !== null && !wasOpen,
    isOpen: wasOpen,
    hasRecovered: news.hasRecovered,
    incidentId: news.reportedId ?? (wasOpen ? (check.incident?.incidentId ?? null) : null),
  });
}
