import { parentPort } from 'node:worker_threads';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { mayNeedSanitizing, sanitizeRawEvent } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import { fingerprintText } from '@culprit/evidence/events/fingerprint/fingerprint-text';
import { createFingerprinter } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { Fingerprint } from '@culprit/evidence/events/fingerprint/sealed-fingerprint';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { eventLine } from '@culprit/evidence/events/normalize/event-line';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { countedParts } from '@culprit/evidence/events/normalize/open-parts';
import type {
  FingerprintReport,
  FingerprintTask,
  Proposal,
  RegroupedSignal,
} from './fingerprint-messages.ts';

/**
 * The thread that computes fingerprints outside the event loop, exactly as the worker does it after the event intake:
 * from the event in the form in which it is or would be stored, normalized. It computes those of events which are not
 * yet accepted for event filters, and those of stored events for previews of other grouping.
 */

/** Distinct events remembered; one entry is a few kilobytes. */
const FINGERPRINTS_MAX = 2000;
/** User ids take no part in a fingerprint, so any key will do. */
const NO_USER_KEY = Buffer.alloc(32);
const LINE_CHARS_MAX = 200;

const fingerprintOf = createFingerprinter({ entriesMax: FINGERPRINTS_MAX });
/** A separate cache for proposals: rules of another project or preview would evict the entries of the event intake. */
const proposedFingerprintOf = createFingerprinter({ entriesMax: FINGERPRINTS_MAX });

parentPort?.on('message', (task: FingerprintTask) => {
  report(task.proposal === null ? computed(task) : regrouped(task, task.proposal));
});
report({ kind: 'ready' });

function report(message: FingerprintReport): void {
  parentPort?.postMessage(message);
}

function* eventsOf({ body, ranges }: FingerprintTask): Generator<Buffer> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let index = 0; index < ranges.length; index += 2) {
    yield bytes.subarray(ranges[index], ranges[index + 1]);
  }
}

function computed(task: FingerprintTask): FingerprintReport {
  const fingerprints: (string | null)[] = [];
  for (const bytes of eventsOf(task)) fingerprints.push(fingerprintIn(bytes, task.stackRules));
  return { kind: 'done', fingerprints };
}

/** An event the algorithm fails at has no fingerprint here either: the worker will park it. */
function fingerprintIn(bytes: Buffer, stackRules: readonly StackRule[]): string | null {
  try {
    const event: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(event)) return null;
    const stored = mayNeedSanitizing(bytes) ? sanitizeRawEvent(event, NO_USER_KEY) : event;
    const fingerprint = fingerprintOf(normalized(stored), stackRules);
    return fingerprint === null ? null : fingerprintText(fingerprint);
  } catch {
    return null;
  }
}

function normalized(event: JsonObject): NormalizedEvent {
  return normalizeEvent(event, { eventId: 'evt', receivedAtMs: 0 }, countedParts(event.event_type));
}

function regrouped(task: FingerprintTask, proposal: Proposal): FingerprintReport {
  const deadlineMs = performance.now() + task.workMs;
  const signals: (RegroupedSignal | null)[] = [];
  for (const bytes of eventsOf(task)) {
    if (performance.now() >= deadlineMs) break;
    signals.push(signalIn(bytes, task.stackRules, proposal.stackRules));
  }
  return { kind: 'regrouped', signals };
}

/** Null for events without a fingerprint, and for one at which the algorithm fails. */
function signalIn(
  bytes: Buffer,
  stackRules: readonly StackRule[],
  proposedRules: readonly StackRule[],
): RegroupedSignal | null {
  try {
    const stored: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(stored)) return null;
    const event = normalized(stored);
    const now = fingerprintOf(event, stackRules);
    const then = proposedFingerprintOf(event, proposedRules);
    if (now === null || then === null) return null;
    const { name, environment } = event.service;
    return {
      eventId: typeof stored.event_id === 'string' ? stored.event_id : null,
      service: JSON.stringify([name, environment]),
      key: keyText(now),
      proposedKey: keyText(then),
      line: [...eventLine(event).slice(0, 2 * LINE_CHARS_MAX)].slice(0, LINE_CHARS_MAX).join(''),
    };
  } catch {
    return null;
  }
}

/** Version and value of a fingerprint. */
function keyText({ version, value }: Fingerprint): string {
  return `${version} ${value}`;
}
