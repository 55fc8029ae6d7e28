import { parentPort } from 'node:worker_threads';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { mayNeedSanitizing, sanitizeRawEvent } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import { fingerprintKeys } from '@culprit/evidence/events/fingerprint/fingerprint-keys';
import { createFingerprinter } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { countedParts } from '@culprit/evidence/events/normalize/open-parts';
import type { FingerprintReport, FingerprintTask } from './fingerprint-messages.ts';

/**
 * A thread of the API process that computes fingerprints of events which are not yet accepted, exactly as the worker
 * does it behind the intake: from the event as it would be stored, normalized.
 */

/** Distinct events remembered; one entry is a few kilobytes. */
const FINGERPRINTS_MAX = 2000;
/** User ids take no part in a fingerprint, so any key will do. */
const NO_USER_KEY = Buffer.alloc(32);

const fingerprintOf = createFingerprinter({ entriesMax: FINGERPRINTS_MAX });

parentPort?.on('message', ({ body, ranges, stackRules }: FingerprintTask) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fingerprints: (string | null)[] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    fingerprints.push(fingerprintIn(bytes.subarray(ranges[index], ranges[index + 1]), stackRules));
  }
  tell({ kind: 'done', fingerprints });
});
tell({ kind: 'ready' });

function tell(report: FingerprintReport): void {
  parentPort?.postMessage(report);
}

/** An event the algorithm fails at has no fingerprint here either: the worker will park it. */
function fingerprintIn(bytes: Buffer, stackRules: readonly StackRule[]): string | null {
  try {
    const event: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(event)) return null;
    const stored = mayNeedSanitizing(bytes) ? sanitizeRawEvent(event, NO_USER_KEY) : event;
    const fingerprint = fingerprintOf(
      normalizeEvent(stored, { eventId: 'evt', receivedAtMs: 0 }, countedParts(stored.event_type)),
      stackRules,
    );
    return fingerprint === null ? null : fingerprintKeys(fingerprint);
  } catch {
    return null;
  }
}
