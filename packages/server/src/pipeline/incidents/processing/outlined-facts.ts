import { hash } from 'node:crypto';
import { CHAIN_OFFER } from '@culprit/evidence/bundles/evidence/offers';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { createRecentMemory } from '@culprit/evidence/events/fingerprint/recent-memory';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { type EventOutline, outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { messageFacts } from '@culprit/evidence/incidents/event-search-facts';
import { type EventTags, withOwnTags } from '@culprit/evidence/incidents/event-tags';
import { type Acceptance, ownParts } from '@culprit/evidence/incidents/judge-event';
import type { CountedEvent } from './counted-event.ts';
import type { Judgement, SignalFacts } from './judge-whole.ts';

/** The facts that the code of an event decides; the message only where the outline has all of it. */
interface CodeFacts extends Pick<Judgement, 'fingerprint' | 'severity'> {
  /** Null for an event that is no counted signal. */
  message: string | null;
  /** The offer of its chain. */
  offered: number;
}

/** The facts that the presence of blocks decides. */
interface PresenceFacts extends Pick<Judgement, 'observations'> {
  hasRequest: boolean;
  richness: number;
  /** The other offers. */
  offered: number;
}

/** The facts that its labels decide; the tags that its own ones are added to. */
interface LabelFacts extends Pick<CountedEvent, 'eventType' | 'service' | 'sdk' | 'losses' | 'release'> {
  tags: readonly string[];
}

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
 * A memory of at most `entriesMax` outlines of each part. Events that repeat an error differ in ids, times, numbers and what
 * came with a request, and are counted by the same facts.
 */
export function createOutlineMemory(entriesMax: number): OutlineMemory {
  const codes = createRecentMemory<CodeFacts | typeof DIFFERS>(entriesMax);
  const presences = createRecentMemory<PresenceFacts>(entriesMax);
  const labels = createRecentMemory<LabelFacts>(entriesMax);
  return {
    judge(raw, acceptance, rules, judge) {
      const outline = outlineOf(raw, acceptance.receivedAtMs);
      if (outline === null) return judge(raw);
      let judged: Judgement | null = null;
      const accepted = acceptanceText(acceptance);
      const code = codes.recall(
        [accepted, rulesText(rules), hash('sha256', outline.code, 'binary')],
        () => {
          judged = judge(raw);
          return codeFacts(judged, outline);
        },
        (made) => (isTrueOf(made, outline, judge) ? made : DIFFERS),
      );
      if (judged !== null) return judged;
      if (code === DIFFERS) return judge(raw);
      const presence = presences.recall([accepted, outline.presence], () =>
        presenceFacts(judge(JSON.parse(outline.presence))),
      );
      const label = labels.recall([accepted, outline.labels], () =>
        labelFacts(judge(JSON.parse(outline.labels))),
      );
      return withOwn(raw, acceptance, outline, { code, presence, label });
    },
  };
}

function acceptanceText({ eventClass, isDemoted, isOriginBound }: Acceptance): string {
  return `${eventClass} ${isDemoted} ${isOriginBound}`;
}

/** The rules of a claim are one list, of which keys have the hash. */
const rulesTexts = new WeakMap<readonly StackRule[], string>();

function rulesText(rules: readonly StackRule[]): string {
  if (rules.length === 0) return '';
  const known = rulesTexts.get(rules);
  if (known !== undefined) return known;
  const text = hash('sha256', JSON.stringify(rules), 'binary');
  rulesTexts.set(rules, text);
  return text;
}

/** Masked digits are thought to say nothing, which is checked one time for each outline. */
function isTrueOf(
  facts: CodeFacts | typeof DIFFERS,
  outline: EventOutline,
  judge: (raw: JsonObject) => Judgement,
): boolean {
  if (outline.ownMessage === null) return true;
  return JSON.stringify(codeFacts(judge(JSON.parse(outline.code)), outline)) === JSON.stringify(facts);
}

/** Exported, as the two below, for the test that compares the facts of an event with those of its outline. */
export function codeFacts(judged: Judgement, { ownMessage }: EventOutline): CodeFacts {
  const { fingerprint, severity, facts, event } = judged;
  const message = facts === null ? null : ownMessage === null ? facts.message : '';
  return { fingerprint, severity, message, offered: event.offered & CHAIN_OFFER };
}

export function presenceFacts({ event, observations }: Judgement): PresenceFacts {
  const { hasRequest, richness, offered } = event;
  return { observations, hasRequest, richness, offered: offered & ~CHAIN_OFFER };
}

export function labelFacts({ event, facts }: Judgement): LabelFacts {
  const { eventType, service, sdk, losses, release } = event;
  return { eventType, service, sdk, losses, release, tags: facts?.tags ?? [] };
}

function withOwn(
  raw: JsonObject,
  acceptance: Acceptance,
  outline: EventOutline,
  known: { code: CodeFacts; presence: PresenceFacts; label: LabelFacts },
): Judgement {
  const { fingerprint, severity, message, offered } = known.code;
  const { observations, hasRequest, richness } = known.presence;
  const { eventType, service, sdk, losses, release, tags } = known.label;
  const own = ownParts(raw, acceptance, outline, sdk.name);
  const { ownMessage } = outline;
  const { userIdHash } = own.correlation;
  return {
    hashes: own.hashes,
    clientKeys: own.clientKeys,
    digest: own.digest,
    idHash: own.idHash,
    fingerprint,
    severity,
    observations,
    facts:
      message === null
        ? null
        : factsWith(withOwnTags(tags, raw), ownMessage === null ? message : messageFacts(ownMessage)),
    event: {
      eventId: own.eventId,
      eventType,
      effectiveAtMs: own.effectiveAtMs,
      receivedAtMs: own.receivedAtMs,
      service,
      sdk,
      level: null,
      userHash: userIdHash === null ? null : identifierHash(userIdHash),
      hasRequest,
      richness,
      offered: offered | known.presence.offered,
      losses,
      release,
      aboutEventId: null,
      kept: null,
    },
  };
}

function factsWith({ tags, left }: EventTags, message: string): SignalFacts {
  return { tags, tagsLeft: left, message };
}
