import { evaluateCapturePolicy, type ResolvedCapturePolicy } from '../capture/capture-policy.ts';
import type { RawRecord } from '../events/batch-object.ts';
import { demotedClass } from '../events/event-class.ts';
import { isJsonObject } from '../events/json.ts';
import { mayNeedSanitizing, sanitizeRawEvent } from '../events/sanitize-raw-event.ts';
import { eventBytes, type RuleDecisions } from './decide-by-rules.ts';
import type { FateCount } from './ingest.queries.ts';
import type { CheckedBatch } from './intake-request.ts';

/** The outcome of steps 6 to 10 of ingestion.md 3.1 for one request. */
export interface Decisions {
  records: RawRecord[];
  errors: { index: number; reason: string }[];
  /** Events by fate; accepted ones get theirs from the worker. */
  fates: Map<FateCount['fate'], number>;
  /** The same by rule, of events that rules kept away. */
  ruleFates: RuleFate[];
  isRateLimited: boolean;
}

export interface RuleFate {
  fate: 'dropped' | 'sampled_out';
  ruleId: string;
  events: number;
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
  options: {
    eventsTaken: number;
    requestIndex: number;
    userKey: Buffer;
    ruleDecisions: RuleDecisions | null;
  },
): Decisions {
  const decisions: Decisions = {
    records: [],
    errors: [],
    fates: new Map(),
    ruleFates: [],
    isRateLimited: false,
  };
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
    const decision = options.ruleDecisions?.[index] ?? null;
    if (decision?.outcome === 'dropped' || decision?.outcome === 'sampled_out') {
      decisions.errors.push({ index, reason: RULE_REASONS[decision.outcome] });
      countRuleFate(decisions.ruleFates, decision.outcome, decision.ruleId);
      continue;
    }
    // Only a signal can be demoted; other classes stay (ingestion.md 4.1).
    const isDemoted = decision?.outcome === 'demoted' && verdict.eventClass === 'incident_signal';
    decisions.records.push({
      eventClass: isDemoted ? demotedClass(verdict.eventClass) : verdict.eventClass,
      matchedPolicy: verdict.matchedPolicy,
      isDemoted,
      requestIndex: options.requestIndex,
      ruleId: decision?.ruleId ?? null,
      position: 0,
      eventBytes: storedBytes(batch, index, options.userKey),
    });
  }
  decisions.fates.set('submitted', batch.checks.length);
  return decisions;
}

const RULE_REASONS = {
  dropped: 'capture_rule_dropped',
  sampled_out: 'capture_rule_sampled_out',
} as const satisfies Record<RuleFate['fate'], string>;

function countRuleFate(fates: RuleFate[], fate: RuleFate['fate'], ruleId: string): void {
  const known = fates.find((each) => each.ruleId === ruleId && each.fate === fate);
  if (known === undefined) fates.push({ fate, ruleId, events: 1 });
  else known.events += 1;
}

/** The event as it is stored: byte for byte as sent, unless a listed key or a user id may occur in it. */
function storedBytes(batch: CheckedBatch, index: number, userKey: Buffer): Buffer {
  const bytes = eventBytes(batch, index);
  const event = batch.eventsToSanitize?.[index];
  if (!isJsonObject(event) || !mayNeedSanitizing(bytes)) return bytes;
  return Buffer.from(JSON.stringify(sanitizeRawEvent(event, userKey)));
}
