import { parentPort } from 'node:worker_threads';
import { createFingerprinter } from '../events/fingerprint/memoized-fingerprint.ts';
import { isJsonObject } from '../events/json.ts';
import { normalizeEvent } from '../events/normalize-event.ts';
import { mayNeedSanitizing, sanitizeRawEvent } from '../events/sanitize-raw-event.ts';
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

parentPort?.on('message', ({ body, ranges }: FingerprintTask) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fingerprints: (string | null)[] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    fingerprints.push(fingerprintIn(bytes.subarray(ranges[index], ranges[index + 1])));
  }
  tell({ kind: 'done', fingerprints });
});
tell({ kind: 'ready' });

function tell(report: FingerprintReport): void {
  parentPort?.postMessage(report);
}

/** An event the algorithm fails at has no fingerprint here either: the worker will park it. */
function fingerprintIn(bytes: Buffer): string | null {
  try {
    const event: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(event)) return null;
    const stored = mayNeedSanitizing(bytes) ? sanitizeRawEvent(event, NO_USER_KEY) : event;
    return fingerprintOf(normalizeEvent(stored, { eventId: 'evt', receivedAtMs: 0 }))?.value ?? null;
  } catch {
    return null;
  }
}
