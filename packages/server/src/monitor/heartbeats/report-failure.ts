import { scheduleWords } from '@culprit/contract/monitor/heartbeat-words';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { availabilityFingerprint } from '@culprit/evidence/events/fingerprint/fingerprint';
import { storeBatch } from '../../pipeline/ingest/batch-parts.ts';
import type { NewBatch } from '../../pipeline/ingest/ingest.queries.ts';
import type { FailingCheck } from '../../pipeline/stored-events/object-head.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { findIncidentOfCheck } from '../availability/runs.queries.ts';
import type { LockedHeartbeat } from './locked-heartbeat.queries.ts';
import { type EndedRun, findRunsBefore } from './runs.queries.ts';

/** A failure of a job. */
export interface Failure {
  kind: 'error' | 'missed' | 'timeout';
  /** The text of the log line, such as `error after 12 s`. */
  sentence: string;
  occurredAtMs: number;
  checkInId: string;
  traceId: string | null;
  release: string | null;
  /** The output that the job sent with its end. */
  output: string | null;
  /** The time when the run was due; null for an unscheduled run. */
  expectedAtMs: number | null;
}

/** A failure and the incident that it belongs to. */
export interface FailureReport {
  projectId: string;
  receivedAtMs: number;
  environment: string;
  service: string;
  check: FailingCheck;
  failure: Failure;
  /** The job as it was then, for the bundle of the incident. */
  job: JsonObject;
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
    job:
      known?.job ??
      jobOf(heartbeat, failure, await findRunsBefore(transaction, heartbeat, failure.checkInId)),
  };
}

/** Returns the content of `context.heartbeat` of a bundle (docs/contract/incidents.md 3.4). */
function jobOf(
  { heartbeatId, slug, settings }: LockedHeartbeat,
  { kind, checkInId, expectedAtMs, output }: Failure,
  runs: readonly EndedRun[],
): JsonObject {
  return {
    heartbeat_id: heartbeatId,
    slug,
    name: settings.name,
    failure: kind,
    schedule: scheduleWords(settings),
    expected_at: expectedAtMs === null ? null : formatTimestamp(expectedAtMs),
    margin_minutes: settings.marginMinutes,
    max_runtime_minutes: settings.maxRuntimeMinutes,
    check_in_id: checkInId,
    output,
    runs: runs.map(({ status, startedAtMs, durationMs, release }) => ({
      status,
      started_at: formatTimestamp(startedAtMs),
      duration_ms: durationMs,
      release,
    })),
  };
}

function isOpen({ incident, state, isReportWaiting }: LockedHeartbeat): boolean {
  if (incident === null) return false;
  if (incident.status === null) return state.isReported && isReportWaiting;
  return incident.status !== 'resolved';
}

/** Returns true if two reports of one failure have the same text and belong to the same incident. */
export function isSameReport(one: FailureReport, other: FailureReport): boolean {
  return (
    one.check.incidentId === other.check.incidentId &&
    one.environment === other.environment &&
    one.service === other.service &&
    one.failure.sentence === other.failure.sentence
  );
}

/**
 * Stores a failure as a `log_event` that the service itself created. Its origin is in the header of the object, which
 * no client writes. The returned row makes it count.
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

function eventOf({ environment, service, check, failure, job }: FailureReport): JsonObject {
  return {
    schema_version: '2026-03-01',
    event_type: 'log_event',
    sdk_name: 'culprit-heartbeat',
    sdk_version: '1',
    service: {
      name: service,
      environment,
    },
    correlation: { trace_id: failure.traceId },
    occurred_at: new Date(failure.occurredAtMs).toISOString(),
    context: {
      ...(failure.release === null ? {} : { release: failure.release }),
      heartbeat: job,
    },
    payload: {
      level: 'error',
      logger: 'culprit.heartbeat',
      message: `${check.name}: ${failure.sentence}`,
    },
  };
}
