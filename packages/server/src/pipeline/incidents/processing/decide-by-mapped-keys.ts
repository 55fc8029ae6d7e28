import {
  type ActiveRule,
  type CompiledRules,
  compileRules,
  type RuleDecision,
} from '@culprit/evidence/capture/evaluate-rules';
import { RuleFacts } from '@culprit/evidence/capture/rule-facts';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { fingerprintText } from '@culprit/evidence/events/fingerprint/fingerprint-text';
import { readEventFacts } from '@culprit/evidence/events/normalize/read-event-facts';
import { findActiveRules } from '../../../capture/capture.queries.ts';
import { activeRuleOf } from '../../../capture/rule-records.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import { prefixedId } from '../../../platform/ids.ts';
import { DamagedObjectError } from '../../stored-events/raw-record.ts';
import type { ReadEvent } from './read-batches.ts';

/**
 * Returns the decisions of the project's exact-fingerprint rules about events with a mapped key, which the event intake
 * does not know (docs/contract/source-maps.md 5.7). Events that a rule decided during the event intake keep that
 * decision. Rules are read only if an event has such a key.
 */
export async function decideByMappedKeys(
  database: Queryable,
  projectId: string,
  events: readonly ReadEvent[],
): Promise<ReadonlyMap<ReadEvent, RuleDecision>> {
  const decisions = new Map<ReadEvent, RuleDecision>();
  const mapped = events.filter((each) => each.record.ruleId === null && mappedText(each) !== null);
  if (mapped.length === 0) return decisions;
  const rules = (await findActiveRules(database, projectId))
    .map(activeRuleOf)
    .filter(({ matcher }) => matcher.fingerprint !== undefined);
  const wanted = new Set(rules.flatMap(({ matcher }) => wantedText(matcher) ?? []));
  const compiled = compileRules(prefixedId('proj', projectId), rules);
  for (const each of mapped) {
    const text = mappedText(each);
    const decision = text !== null && wanted.has(text) ? decide(each, text, compiled) : null;
    if (decision !== null) decisions.set(each, decision);
  }
  return decisions;
}

function wantedText({ fingerprint }: ActiveRule['matcher']): string | null {
  return fingerprint === undefined ? null : fingerprintText(fingerprint);
}

/** The mapped key of an event; null where it has none. */
function mappedText({ fingerprint }: ReadEvent): string | null {
  return fingerprint === null || fingerprint.rawKey === null ? null : fingerprintText(fingerprint);
}

function decide({ record, event }: ReadEvent, text: string, rules: CompiledRules): RuleDecision | null {
  const raw: unknown = JSON.parse(record.eventBytes.toString('utf8'));
  if (!isJsonObject(raw)) throw new DamagedObjectError('a record is not a JSON object');
  return rules.decide(
    new RuleFacts({ ...readEventFacts(raw), eventId: event.eventId }, () => raw, text),
    event.receivedAtMs,
  );
}
