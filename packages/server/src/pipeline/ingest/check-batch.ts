import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { EVENT_LIMITS, type EventReader, parseBatch } from '@culprit/evidence/events/envelope/parse-batch';
import { mayNeedSanitizing } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import type { LimitFault } from '@culprit/evidence/events/envelope/scan-batch-body';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import type { CheckedBatch, CheckedEvent, RefusedContent } from './intake-request.ts';

/** Parses a body and judges each event for limits and shape (docs/contract/ingestion.md 3.1 steps 5 and 6). */
export function* checkBatch(
  body: Buffer,
  reserveBytes: (sizeBytes: number) => boolean,
): Sliced<CheckedBatch | RefusedContent> {
  const parsed = yield* parseBatch(body, createChecks, reserveBytes);
  if (!parsed.ok) {
    return parsed.isCrowded
      ? { problem: 'service_unavailable' }
      : { problem: 'invalid_payload', reason: parsed.reason };
  }
  return { body: parsed.body, eventRanges: parsed.eventRanges, ...parsed.reader.result() };
}

const LIMIT_REASONS: Readonly<Record<LimitFault, string>> = {
  depth: `invalid_event: nested deeper than ${EVENT_LIMITS.depthMax} levels`,
  nodes: `invalid_event: more than ${EVENT_LIMITS.nodesMax} values`,
};

function createChecks() {
  const checks: CheckedEvent[] = [];
  let shapeValidCount = 0;
  let overLimitCount = 0;
  let lastReason = '';
  let toSanitize: unknown[] | null = null;

  const reader: EventReader & { result(): Omit<CheckedBatch, 'body' | 'eventRanges'> } = {
    events(events, bytes) {
      if (mayNeedSanitizing(bytes)) {
        toSanitize ??= [];
        for (const [offset, event] of events.entries()) toSanitize[checks.length + offset] = event;
      }
      for (const event of events) {
        const check = checkEvent(event);
        if (check.ok) {
          shapeValidCount += 1;
          checks.push(check.facts);
        } else {
          // One text for all equal neighbours: faults mostly repeat, and each reason is a new text.
          if (check.reason !== lastReason) lastReason = check.reason;
          checks.push(lastReason);
        }
      }
    },
    overLimit(fault) {
      overLimitCount += 1;
      checks.push(LIMIT_REASONS[fault]);
    },
    result: () => ({ checks, shapeValidCount, overLimitCount, eventsToSanitize: toSanitize }),
  };
  return reader;
}
