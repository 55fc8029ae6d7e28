import { hash } from 'node:crypto';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { createRecentMemory } from '@culprit/evidence/events/fingerprint/recent-memory';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { type EventOutline, outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { messageFacts } from '@culprit/evidence/incidents/event-search-facts';
import { type Acceptance, ownParts } from '@culprit/evidence/incidents/judge-event';
import type { CountedEvent } from './counted-event.ts';
import type { Judgement } from './judge-whole.ts';

/** What every event of an outline has; the message only where the outline has all of it. */
type OutlinedFacts = Pick<Judgement, 'fingerprint' | 'severity' | 'facts' | 'observations'> & {
  event: Omit<CountedEvent, 'eventId' | 'effectiveAtMs' | 'receivedAtMs' | 'userHash'>;
};

/** Kept for outlines whose masked numbers make a difference after all. */
const DIFFERS = 'differs';

/** Judges events, each outline once. */
export interface OutlineMemory {
  /** @param judge judges the event, or another one in its place, as a whole */
  judge(
    raw: JsonObject,
    acceptance: Acceptance,
    rules: readonly StackRule[],
    judge: (raw: JsonObject) => Judgement,
  ): Judgement;
}

/**
 * A memory of at most `entriesMax` outlines. Events that repeat an error differ in ids, times, numbers and what came with a
 * request, and are counted by the same facts.
 */
export function createOutlineMemory(entriesMax: number): OutlineMemory {
  const memory = createRecentMemory<OutlinedFacts | typeof DIFFERS>(entriesMax);
  return {
    judge(raw, acceptance, rules, judge) {
      const outline = outlineOf(raw, acceptance.receivedAtMs);
      if (outline === null) return judge(raw);
      let judged: Judgement | null = null;
      const known = memory.recall(
        [acceptanceText(acceptance), rulesText(rules), hash('sha256', outline.text, 'binary')],
        () => {
          judged = judge(raw);
          return factsOf(judged, outline);
        },
        (made) => (isTrueOf(made, outline, judge) ? made : DIFFERS),
      );
      if (judged !== null) return judged;
      return known === DIFFERS ? judge(raw) : withOwn(raw, acceptance, outline, known);
    },
  };
}

function acceptanceText({ eventClass, isDemoted, isOriginBound }: Acceptance): string {
  return `${eventClass} ${isDemoted} ${isOriginBound}`;
}

/** The rules of a claim are one list. */
const rulesTexts = new WeakMap<readonly StackRule[], string>();

function rulesText(rules: readonly StackRule[]): string {
  if (rules.length === 0) return '';
  const known = rulesTexts.get(rules);
  if (known !== undefined) return known;
  const text = JSON.stringify(rules);
  rulesTexts.set(rules, text);
  return text;
}

/** Masked digits are thought to say nothing, which is looked at once for each outline. */
function isTrueOf(
  facts: OutlinedFacts | typeof DIFFERS,
  outline: EventOutline,
  judge: (raw: JsonObject) => Judgement,
): boolean {
  if (outline.ownMessage === null) return true;
  const alike: JsonObject = JSON.parse(outline.text);
  return JSON.stringify(factsOf(judge(alike), outline)) === JSON.stringify(facts);
}

/** Exported for the test that compares the facts of an event with those of its outline. */
export function factsOf(judged: Judgement, { ownMessage }: EventOutline): OutlinedFacts {
  const { fingerprint, severity, observations, facts } = judged;
  const {
    eventId: _id,
    effectiveAtMs: _at,
    receivedAtMs: _received,
    userHash: _user,
    ...event
  } = judged.event;
  return {
    fingerprint,
    severity,
    observations,
    facts: facts === null || ownMessage === null ? facts : { ...facts, message: '' },
    event,
  };
}

function withOwn(
  raw: JsonObject,
  acceptance: Acceptance,
  outline: EventOutline,
  known: OutlinedFacts,
): Judgement {
  const { fingerprint, severity, observations, facts } = known;
  const { eventId, effectiveAtMs, receivedAtMs, correlation, hashes, clientKeys, digest, idHash } = ownParts(
    raw,
    acceptance,
    outline,
    known.event.sdk.name,
  );
  const { ownMessage } = outline;
  const { userIdHash } = correlation;
  return {
    hashes,
    clientKeys,
    digest,
    idHash,
    fingerprint,
    severity,
    observations,
    facts: facts === null || ownMessage === null ? facts : { ...facts, message: messageFacts(ownMessage) },
    event: {
      ...known.event,
      eventId,
      effectiveAtMs,
      receivedAtMs,
      userHash: userIdHash === null ? null : identifierHash(userIdHash),
    },
  };
}
