import type { HeartbeatBlock } from '@culprit/contract/incidents/bundle-context';
import { HEARTBEAT_RUN_STATUSES } from '@culprit/contract/monitor/heartbeat-run-statuses';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { isJsonObject, type JsonObject } from '../../../events/envelope/json.ts';
import type { NormalizedEvent } from '../../../events/normalize/event.ts';
import type { FingerprintKind } from '../../evidence/bundle-evidence.ts';
import { evidenceText, evidenceTextOrNull } from '../../evidence/evidence-text.ts';
import { mapAt, numberAt, textAt, valueAt } from '../../evidence/read-open-map.ts';
import { cutStack, MESSAGE_BYTES_MAX } from '../size-bounds.ts';

const RUNS_MAX = 10;
const STACK_BYTES_MAX = 4 * 1024;
const FAILURES = ['error', 'missed', 'timeout'] as const;

/**
 * The scheduled job whose failure the incident is; null for every other incident. The service itself wrote the event: one
 * of a client is no occurrence of an incident of this kind.
 */
export function heartbeatBlock(
  kind: FingerprintKind,
  primary: NormalizedEvent,
  exceptions: readonly NormalizedEvent[],
): HeartbeatBlock | null {
  const job = kind === 'availability' ? mapAt(primary.context, 'heartbeat') : null;
  const failure = FAILURES.find((each) => each === textAt(job, 'failure'));
  if (job === null || failure === undefined) return null;
  const runs = valueAt(job, 'runs');
  return {
    version: 1,
    heartbeat_id: textAt(job, 'heartbeat_id') ?? '',
    slug: textAt(job, 'slug') ?? '',
    name: evidenceText(textAt(job, 'name') ?? ''),
    failure,
    schedule: evidenceText(textAt(job, 'schedule') ?? ''),
    expected_at: textAt(job, 'expected_at'),
    margin_minutes: numberAt(job, 'margin_minutes') ?? 0,
    max_runtime_minutes: numberAt(job, 'max_runtime_minutes') ?? 0,
    check_in_id: textAt(job, 'check_in_id'),
    output: evidenceTextOrNull(textAt(job, 'output'), MESSAGE_BYTES_MAX),
    runs: (Array.isArray(runs) ? runs.slice(0, RUNS_MAX) : []).filter(isJsonObject).flatMap(runOf),
    exceptions: exceptions.flatMap(exceptionOf),
  };
}

function runOf(run: JsonObject): HeartbeatBlock['runs'] {
  const status = HEARTBEAT_RUN_STATUSES.find((each) => each === textAt(run, 'status'));
  const startedAt = textAt(run, 'started_at');
  if (status === undefined || startedAt === null) return [];
  return [
    {
      status,
      started_at: startedAt,
      duration_ms: numberAt(run, 'duration_ms'),
      release: evidenceTextOrNull(textAt(run, 'release')),
    },
  ];
}

function exceptionOf({ eventId, effectiveAtMs, payload }: NormalizedEvent): HeartbeatBlock['exceptions'] {
  if (payload.kind !== 'exception') return [];
  return [
    {
      event_id: eventId,
      type: evidenceText(payload.name),
      message: evidenceText(payload.message, MESSAGE_BYTES_MAX),
      occurred_at: formatTimestamp(effectiveAtMs),
      stack:
        payload.stack === null ? null : cutStack(evidenceText(payload.stack, 64 * 1024), STACK_BYTES_MAX),
    },
  ];
}
