import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { isWithinLimits } from '@culprit/evidence/events/envelope/is-within-limits';
import { mayNeedSanitizing } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import type { CheckedBatch, CheckedEvent, EventTreatment } from '../intake-request.ts';

/** Events of one request, beyond which the others are counted as `over_limit` (docs/contract/foreign-protocols.md 12). */
const EVENTS_MAX = 1000;
/** Bytes of all of them: what one object takes. */
const BYTES_MAX = 4 * 1024 * 1024;

/**
 * The events to which a foreign request is mapped, one after the other, in the form of the window of the event intake.
 */
export interface MappedBatch {
  /**
   * Adds one event in the form of `POST /v1/events`. It is checked and written immediately, so that its parsed source
   * need not be kept.
   * @param place the origin of the event, which a refusal names
   * @returns false when the request holds too many: nothing was added
   */
  add(event: Record<string, unknown>, place: EventPlace, treatment?: EventTreatment | null): boolean;
  readonly count: number;
  /** Bytes of what was added, with what is kept beside it. */
  readonly keptBytes: number;
  /** For each event in its order. */
  readonly places: readonly EventPlace[];
  /** Returns the content that joins the window. */
  content(): CheckedBatch;
}

/** The part of a request that an event came from. */
interface EventPlace {
  /** Index of the part. */
  item: number;
  type: string;
}

export function createMappedBatch(): MappedBatch {
  const chunks: Buffer[] = [];
  const ranges: number[] = [];
  const checks: CheckedEvent[] = [];
  const places: EventPlace[] = [];
  const treatments: (EventTreatment | null)[] = [];
  let toSanitize: unknown[] | null = null;
  let sizeBytes = 0;
  let keptBytes = 0;
  let shapeValidCount = 0;

  return {
    add(event, place, treatment = null) {
      if (checks.length >= EVENTS_MAX) return false;
      const bytes = Buffer.from(JSON.stringify(event));
      if (sizeBytes + bytes.length > BYTES_MAX) return false;
      if (mayNeedSanitizing(bytes)) {
        toSanitize ??= [];
        toSanitize[checks.length] = event;
        keptBytes += bytes.length * KEPT_EVENT_FACTOR;
      }
      chunks.push(bytes);
      ranges.push(sizeBytes, sizeBytes + bytes.length);
      sizeBytes += bytes.length;
      keptBytes += bytes.length;
      const check = checkEvent(event);
      if (!check.ok) checks.push(check.reason);
      else if (!isWithinLimits(event)) checks.push('invalid_event: nested too deep, or too many values');
      else {
        checks.push(check.facts);
        shapeValidCount += 1;
      }
      places.push(place);
      treatments.push(treatment);
      return true;
    },
    get count() {
      return checks.length;
    },
    get keptBytes() {
      return keptBytes;
    },
    places,
    content: () => ({
      body: Buffer.concat(chunks, sizeBytes),
      eventRanges: Uint32Array.from(ranges),
      checks,
      shapeValidCount,
      overLimitCount: 0,
      eventsToSanitize: toSanitize,
      treatments: treatments.some((treatment) => treatment !== null) ? treatments : null,
    }),
  };
}

/** The memory of a parsed event for each byte of its text. */
const KEPT_EVENT_FACTOR = 4;
