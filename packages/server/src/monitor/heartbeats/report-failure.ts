import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { availabilityFingerprint } from '@culprit/evidence/events/fingerprint/fingerprint';
import { storeBatch } from '../../pipeline/ingest/batch-parts.ts';
import type { NewBatch } from '../../pipeline/ingest/ingest.queries.ts';
import type { FailingCheck } from '../../pipeline/stored-events/batch-object.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { findIncidentOfCheck } from '../availability/runs.queries.ts';
import type { LockedHeartbeat } from './runs.queries.ts';

/** A failure of a job, in words. */
export interface Failure {
  /** What the log line says, such as `error after 12 s`. */
  sentence: string;
  occurredAtMs: number;
  checkInId: string;
  traceId: string | null;
  release: string | null;
}

/** A failure and the incident that it belongs to. */
export interface FailureReport {
  projectId: string;
  receivedAtMs: number;
  environment: string;
  service: string;
  check: FailingCheck;
  failure: Failure;
}

/**
 * The incident of a failure: the one that was reported last, as long as that is open or under the service that the heartbeat
 * has now; else the one that is there under it, else a new one.
 */
export async function reportOf(
  transaction: Transaction,
  heartbeat: LockedHeartbeat,
  failure: Failure,
  known: FailureReport | null,
): Promise<FailureReport> {
  const { incident, settings, projectId, heartbeatId, environment } = heartbeat;
  const own = { environment, service: settings.serviceName ?? heartbeat.serviceDefault };
  const isHere = incident?.service === own.service;
  const isThere = incident?.status !== null || heartbeat.isReportWaiting;
  const isKept = incident !== null && (isOpen(heartbeat) || (isHere && isThere));
  const place = isKept ? { environment: incident.environment, service: incident.service } : own;
  const found = isKept
    ? incident.incidentId
    : await findIncidentOfCheck(transaction, {
        projectId,
        ...own,
        fingerprint: availabilityFingerprint(heartbeatId, 'heartbeat').value,
      });
  return {
    projectId,
    receivedAtMs: heartbeat.nowMs,
    ...place,
    check: {
      kind: 'heartbeat',
      checkId: heartbeatId,
      name: settings.name,
      incidentId: found ?? known?.check.incidentId ?? newUuid(),
    },
    failure,
  };
}

function isOpen({ incident, state, isReportWaiting }: LockedHeartbeat): boolean {
  if (incident === null) return false;
  if (incident.status === null) return state.isReported && isReportWaiting;
  return incident.status !== 'resolved';
}

/** Whether two reports of one failure say the same of the same incident. */
export function isSameReport(one: FailureReport, other: FailureReport): boolean {
  return (
    one.check.incidentId === other.check.incidentId &&
    one.environment === other.environment &&
    one.service === other.service &&
    one.failure.sentence === other.failure.sentence
  );
}

/**
 * Stores a failure as a `log_event` that the service itself made. Where it comes from stands in the header of the object,
 * which no client writes. The row that it returns makes it count.
 * @throws ObjectStoreUnavailableError
 */
export async function storeFailure(objects: ObjectStore, report: FailureReport): Promise<NewBatch> {
  const { projectId, receivedAtMs, check } = report;
  return await storeBatch(
    objects,
    {
      projectId,
      receivedAtMs,
      requests: [{ failingCheck: check }],
      records: [
        {
          eventClass: 'incident_signal',
          matchedPolicy: 'heartbeat_threshold',
          isDemoted: false,
          requestIndex: 0,
          ruleId: null,
          position: 0,
          eventBytes: Buffer.from(JSON.stringify(eventOf(report))),
        },
      ],
    },
    { tokenIds: [], tokenEvents: [] },
  );
}

function eventOf({ environment, service, check, failure }: FailureReport): JsonObject {
  return {
    schema_version: '2026-03-01',
    event_type: 'log_event',
    sdk_name: 'culprit-heartbeat',
    sdk_version: '1',
    service: {
      name: service,
      environment,
      ...(failure.release === null ? {} : { version: failure.release }),
    },
    occurred_at: new Date(failure.occurredAtMs).toISOString(),
    context: {
      ...(failure.traceId === null ? {} : { trace_id: failure.traceId }),
      heartbeat: { heartbeat_id: check.checkId, name: check.name, check_in_id: failure.checkInId },
    },
    payload: {
      level: 'error',
      logger: 'culprit.heartbeat',
      message: `${check.name}: ${failure.sentence}`,
    },
  };
}
