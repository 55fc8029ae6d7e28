import { evaluateCapturePolicy, type ResolvedCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import type { CompiledRules, RuleDecision } from '@culprit/evidence/capture/evaluate-rules';
import { RuleFacts } from '@culprit/evidence/capture/rule-facts';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { LoopYield } from '../../platform/loop-yield.ts';
import type { CheckedBatch } from './intake-request.ts';

/** The decisions of the project's rules about the events of a batch, by index; null if none matched or was checked. */
export type RuleDecisions = readonly (RuleDecision | null)[];

/**
 * Checks the events that the policy accepts against the filters (step 10 of docs/contract/ingestion.md 3.1). Hundreds
 * of rules over a megabyte of events can take a while, so others get their turn in between.
 */
export async function decideByRules(
  batch: CheckedBatch,
  inForce: {
    policy: ResolvedCapturePolicy;
    rules: CompiledRules;
    nowMs: number;
    /** By index of the event; null where no rule compares any. */
    fingerprints: readonly (string | null)[] | null;
    /** Shape-valid events the rate budget covers. */
    eventsTaken: number;
  },
  loopYield: LoopYield,
): Promise<RuleDecisions> {
  const { policy, rules, nowMs, fingerprints } = inForce;
  const decisions: (RuleDecision | null)[] = new Array(batch.checks.length).fill(null);
  let eventsLeft = inForce.eventsTaken;
  for (const [index, event] of batch.checks.entries()) {
    if (typeof event === 'string') continue;
    if (eventsLeft === 0) break;
    eventsLeft -= 1;
    if (batch.treatments?.[index] === 'always_context') continue;
    if (!evaluateCapturePolicy(policy, event).accepted) continue;
    await loopYield.next();
    const facts = new RuleFacts(event, () => readEvent(batch, index), fingerprints?.[index] ?? null);
    decisions[index] = rules.decide(facts, nowMs);
  }
  return decisions;
}

/** Parses the event again: parsed events are not kept while requests wait for each other. */
function readEvent(batch: CheckedBatch, index: number): JsonObject {
  const event = batch.eventsToSanitize?.[index] ?? JSON.parse(eventBytes(batch, index).toString('utf8'));
  if (!isJsonObject(event)) throw new Error('an event that was found valid is no object');
  return event;
}

/** The bytes of one event as they were sent. */
export function eventBytes(batch: CheckedBatch, index: number): Buffer {
  return batch.body.subarray(batch.eventRanges[index * 2], batch.eventRanges[index * 2 + 1]);
}
