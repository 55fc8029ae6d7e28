import { evaluateCapturePolicy, type ResolvedCapturePolicy } from '../capture/capture-policy.ts';
import type { RawRecord } from '../events/batch-object.ts';
import { isJsonObject } from '../events/json.ts';
import { mayNeedSanitizing, sanitizeRawEvent } from '../events/sanitize-raw-event.ts';
import type { FateCount } from './ingest.queries.ts';
import type { CheckedBatch } from './intake-request.ts';

/** The outcome of steps 6 to 10 of ingestion.md 3.1 for one request. */
export interface Decisions {
  records: RawRecord[];
  errors: { index: number; reason: string }[];
  /** Events by fate; accepted ones get theirs from the worker. */
  fates: Map<FateCount['fate'], number>;
  isRateLimited: boolean;
}

/**
 * Decides each event of an admitted batch in array order. What is decided here is stored with the event and never
 * decided again.
 * @param eventsTaken shape-valid events the rate budget covers; those behind them are refused
 * @param requestIndex place of the request in the header of its batch object
 */
export function decideEvents(
  batch: CheckedBatch,
  policy: ResolvedCapturePolicy,
  options: { eventsTaken: number; requestIndex: number; userKey: Buffer },
): Decisions {
  const decisions: Decisions = { records: [], errors: [], fates: new Map(), isRateLimited: false };
  let shapeValidSeen = 0;

  function refuse(index: number, reason: string, fate: FateCount['fate']): void {
    decisions.errors.push({ index, reason });
    decisions.fates.set(fate, (decisions.fates.get(fate) ?? 0) + 1);
  }

  for (let index = 0; index < batch.checks.length; index += 1) {
    const check = batch.checks[index];
    if (check === undefined) break;
    if (typeof check === 'string') {
      refuse(index, check, 'invalid');
      continue;
    }
    shapeValidSeen += 1;
    if (shapeValidSeen > options.eventsTaken) {
      decisions.isRateLimited = true;
      refuse(index, 'rate_limited', 'rate_limited');
      continue;
    }
    const verdict = evaluateCapturePolicy(policy, check);
    if (!verdict.accepted) {
      refuse(index, 'capture_policy_rejected', 'refused_by_policy');
      continue;
    }
    decisions.records.push({
      eventClass: verdict.eventClass,
      matchedPolicy: verdict.matchedPolicy,
      isDemoted: false,
      requestIndex: options.requestIndex,
      ruleId: null,
      position: 0,
      eventBytes: storedBytes(batch, index, options.userKey),
    });
  }
  decisions.fates.set('submitted', batch.checks.length);
  return decisions;
}

/** The event as it is stored: byte for byte as sent, unless a listed key or a user id may occur in it. */
function storedBytes(batch: CheckedBatch, index: number, userKey: Buffer): Buffer {
  const bytes = batch.body.subarray(batch.eventRanges[index * 2], batch.eventRanges[index * 2 + 1]);
  const event = batch.eventsToSanitize?.[index];
  if (!isJsonObject(event) || !mayNeedSanitizing(bytes)) return bytes;
  return Buffer.from(JSON.stringify(sanitizeRawEvent(event, userKey)));
}
