import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { storeBatch } from '../../pipeline/ingest/batch-parts.ts';
import type { NewBatch } from '../../pipeline/ingest/ingest.queries.ts';
import type { FailingCheck } from '../../pipeline/stored-events/object-head.ts';
import type { RawRecord } from '../../pipeline/stored-events/raw-record.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { type CheckOutcome, errorMessage, withoutQuery } from './check-outcome.ts';
import type { ClaimedRun } from './claims.queries.ts';

/** Service of the incidents of checks that name none (docs/contract/incidents.md 1.1). */
export const SERVICE_DEFAULT = 'availability';

/** The event that reports a failed run. */
export interface FailureReport {
  projectId: string;
  receivedAtMs: number;
  environment: string;
  service: string;
  check: FailingCheck;
}

/** Returns true if two reports of one run belong to the same incident. */
export function isSameReport(one: FailureReport, other: FailureReport): boolean {
  return (
    one.check.incidentId === other.check.incidentId &&
    one.environment === other.environment &&
    one.service === other.service
  );
}

/**
 * Stores a failed run as a `request_event` that the service itself created, for the ordinary processing of events: so
 * that logs, bundles, counters, alerts and webhooks need no special case for checks. Its origin is in the header of the
 * object, which no client writes. The returned row makes it count.
 * @throws ObjectStoreUnavailableError
 */
export async function storeReport(
  objects: ObjectStore,
  report: FailureReport,
  run: ClaimedRun,
  outcome: CheckOutcome,
): Promise<NewBatch> {
  const record: RawRecord = {
    eventClass: 'incident_signal',
    matchedPolicy: 'availability_threshold',
    isDemoted: false,
    requestIndex: 0,
    ruleId: null,
    position: 0,
    eventBytes: Buffer.from(JSON.stringify(eventOf(report, run, outcome))),
  };
  const { projectId, receivedAtMs, check } = report;
  const batch = { projectId, receivedAtMs, requests: [{ failingCheck: check }], records: [record] };
  // The batch belongs to no token: its outcome is counted for none.
  return await storeBatch(objects, batch, { tokenIds: [], tokenEvents: [] });
}

function eventOf(report: FailureReport, run: ClaimedRun, outcome: CheckOutcome): JsonObject {
  const { target } = run;
  return {
    schema_version: '2026-03-01',
    event_type: 'request_event',
    sdk_name: 'culprit-availability',
    sdk_version: '1',
    service: { name: report.service, environment: report.environment },
    occurred_at: new Date(run.startedAtMs + outcome.durationMs).toISOString(),
    context: {
      availability_check: {
        check_id: run.checkId,
        name: report.check.name,
        result: outcome.status,
        error_kind: outcome.errorKind,
        error_message: errorMessage(outcome.errorKind),
        final_url: outcome.finalUrl,
        redirect_count: outcome.redirectCount,
      },
    },
    payload: {
      method: target.method,
      path: new URL(target.url).pathname,
      url: withoutQuery(target.url),
      query: {},
      headers: {},
      // 0 where there was no answer, as in events of libraries.
      response_status: outcome.httpStatus ?? 0,
      duration_ms: outcome.durationMs,
    },
  };
}
