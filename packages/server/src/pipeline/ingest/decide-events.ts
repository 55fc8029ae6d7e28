import {
  type CaptureVerdict,
  evaluateCapturePolicy,
  type ResolvedCapturePolicy,
} from '@culprit/evidence/capture/capture-policy';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { mayNeedSanitizing, sanitizeRawEvent } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import { demotedClass } from '@culprit/evidence/events/normalize/event-class';
import type { RawRecord } from '../stored-events/raw-record.ts';
import { eventBytes, type RuleDecisions } from './decide-by-rules.ts';
import type { FateCount } from './ingest.queries.ts';
import type { CheckedBatch, RefusedRun } from './intake-request.ts';

/** The outcome of steps 6 to 10 of docs/contract/ingestion.md 3.1 for one request. */
export interface Decisions {
  records: RawRecord[];
  refused: RefusedRun[];
  /** The events by outcome; accepted ones get theirs from the worker. */
  fates: Map<FateCount['fate'], number>;
  /** The same by rule, of events that rules kept away. */
  ruleFates: RuleFate[];
  /** Events that were rejected, by the reason under which they are counted. */
  rejected: Map<string, number>;
  isRateLimited: boolean;
}

interface RuleFate {
  fate: 'dropped' | 'sampled_out';
  ruleId: string;
  events: number;
}

/** The work that is decided in one slice; the last event of it may be large. */
const SLICE_WORK = 64 * 1024;
const EVENT_WORK = 64;
const REFUSED_WORK = 8;
const SANITIZING_WORK_PER_BYTE = 8;
/** Reasons of one request that are counted one by one. */
const REASONS_MAX = 20;
/** The name of the reasons that are counted together: senders can invent any number of them. */
export const OTHER_REASONS = '';

/**
 * Decides each event of an admitted batch in array order. What is decided here is stored with the event and never
 * decided again.
 * @param eventsTaken shape-valid events the rate budget covers; those behind them are refused
 * @param requestIndex place of the request in the header of its batch object
 */
export function* decideEvents(
  batch: CheckedBatch,
  policy: ResolvedCapturePolicy,
  options: {
    eventsTaken: number;
    requestIndex: number;
    userKey: Buffer;
    ruleDecisions: RuleDecisions | null;
  },
): Sliced<Decisions> {
  const decisions: Decisions = {
    records: [],
    refused: [],
    fates: new Map(),
    ruleFates: [],
    rejected: new Map(),
    isRateLimited: false,
  };
  let shapeValidSeen = 0;

  function addRefused(index: number, reason: string): void {
    const last = decisions.refused.at(-1);
    if (last !== undefined && last.reason === reason && last.index + last.count === index) last.count += 1;
    else decisions.refused.push({ index, count: 1, reason });
  }
  function refuse(index: number, reason: string, fate: FateCount['fate']): void {
    addRefused(index, reason);
    decisions.fates.set(fate, (decisions.fates.get(fate) ?? 0) + 1);
    if (fate !== 'refused_by_policy') countRejected(decisions.rejected, reason);
  }

  let workLeft = 0;
  for (let index = 0; index < batch.checks.length; index += 1) {
    if (workLeft <= 0) {
      workLeft = Math.min(SLICE_WORK, (batch.checks.length - index) * EVENT_WORK);
      yield workLeft;
    }
    const check = batch.checks[index];
    if (check === undefined) break;
    workLeft -= typeof check === 'string' ? REFUSED_WORK : EVENT_WORK;
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
    const treatment = batch.treatments?.[index] ?? null;
    const verdict = treatment === 'always_context' ? ALWAYS_CONTEXT : evaluateCapturePolicy(policy, check);
    if (!verdict.accepted) {
      refuse(index, 'capture_policy_rejected', 'refused_by_policy');
      continue;
    }
    const decision = options.ruleDecisions?.[index] ?? null;
    if (decision?.outcome === 'dropped' || decision?.outcome === 'sampled_out') {
      addRefused(index, RULE_REASONS[decision.outcome]);
      countRuleFate(decisions.ruleFates, decision.outcome, decision.ruleId);
      continue;
    }
    // Only a signal can be kept without incident; other classes stay (docs/contract/ingestion.md 4.1).
    const stored = storedBytes(batch, index, options.userKey);
    if (stored.isSanitized) workLeft -= stored.eventBytes.length * SANITIZING_WORK_PER_BYTE;
    const ownClass = treatment === null ? verdict.eventClass : demotedClass(verdict.eventClass);
    const isDemoted = decision?.outcome === 'demoted' && ownClass === 'incident_signal';
    decisions.records.push({
      eventClass: isDemoted ? demotedClass(ownClass) : ownClass,
      matchedPolicy: verdict.matchedPolicy,
      isDemoted,
      requestIndex: options.requestIndex,
      ruleId: decision?.ruleId ?? null,
      position: 0,
      eventBytes: stored.eventBytes,
    });
  }
  decisions.fates.set('submitted', batch.checks.length);
  return decisions;
}

const ALWAYS_CONTEXT: CaptureVerdict = {
  accepted: true,
  eventClass: 'context_signal',
  matchedPolicy: null,
};

const RULE_REASONS = {
  dropped: 'capture_rule_dropped',
  sampled_out: 'capture_rule_sampled_out',
} as const satisfies Record<RuleFate['fate'], string>;

function countRejected(rejected: Map<string, number>, reason: string): void {
  // The text quotes the event: no database takes a NUL.
  const text = reason.replaceAll(/\p{Cc}/gu, ' ');
  const key = rejected.has(text) || rejected.size < REASONS_MAX ? text : OTHER_REASONS;
  rejected.set(key, (rejected.get(key) ?? 0) + 1);
}

function countRuleFate(fates: RuleFate[], fate: RuleFate['fate'], ruleId: string): void {
  const known = fates.find((each) => each.ruleId === ruleId && each.fate === fate);
  if (known === undefined) fates.push({ fate, ruleId, events: 1 });
  else known.events += 1;
}

/** Returns the event in its stored form: the raw bytes, unless a listed key or a user id may occur in it. */
function storedBytes(
  batch: CheckedBatch,
  index: number,
  userKey: Buffer,
): { eventBytes: Buffer; isSanitized: boolean } {
  const bytes = eventBytes(batch, index);
  const event = batch.eventsToSanitize?.[index];
  if (!isJsonObject(event) || !mayNeedSanitizing(bytes)) return { eventBytes: bytes, isSanitized: false };
  return { eventBytes: Buffer.from(JSON.stringify(sanitizeRawEvent(event, userKey))), isSanitized: true };
}
