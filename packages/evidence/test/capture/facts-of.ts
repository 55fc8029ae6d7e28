import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { compileMatcher } from '../../src/capture/match-rule.ts';
import { RuleFacts } from '../../src/capture/rule-facts.ts';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';

/** The facts of an event as a client sends it; throws for one that intake would refuse. */
export function factsOf(event: JsonObject, fingerprint: string | null = null): RuleFacts {
  const check = checkEvent(event);
  if (!check.ok) throw new Error(check.reason);
  return new RuleFacts(check.facts, () => event, fingerprint);
}

export function isMatch(
  matcher: CaptureMatcher,
  event: JsonObject,
  fingerprint: string | null = null,
): boolean {
  return compileMatcher(matcher)(factsOf(event, fingerprint));
}
