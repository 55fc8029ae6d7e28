import { hash } from 'node:crypto';
import { CHAIN_OFFER } from '@culprit/evidence/bundles/evidence/offers';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { createRecentMemory } from '@culprit/evidence/events/fingerprint/recent-memory';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { type EventOutline, outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { digestOf, type EventDigest, ownParts } from '@culprit/evidence/incidents/event-digest';
import { type EventTags, withOwnTags } from '@culprit/evidence/incidents/event-tags';
import type { Acceptance } from '@culprit/evidence/incidents/judge-event';
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

/** An event that is judged. */
interface JudgedSource {
  /** The digest that was stored with it; null where there is none. */
  digest: EventDigest | null;
  /** Parses it. */
  raw(): JsonObject;
}

/** All facts of the events of a kind. */
interface KindFacts {
  code: CodeFacts;
  presence: PresenceFacts;
  label: LabelFacts;
  /** Shared by its events without own tags and message; null for events that are no counted signals. */
  facts: SignalFacts | null;
}

/** Judges events, each outline once. */
export interface OutlineMemory {
  /**
   * An event with a digest whose kind is known is not parsed.
   * @param judge judges the event, or another one in its place, as a whole
   */
  judge(
    source: JudgedSource,
    acceptance: Acceptance,
    rules: readonly StackRule[],
    judge: (raw: JsonObject) => Judgement,
  ): Judgement;
}

/**
 * A memory of at most `entriesMax` outlines of each part, and as many kinds, which are outlines as a whole. Events that
 * repeat an error differ in ids, times, numbers and what came with a request, and are counted by the same facts.
 */
export function createOutlineMemory(entriesMax: number): OutlineMemory {
  const codes = createRecentMemory<CodeFacts | typeof DIFFERS>(entriesMax);
  const presences = createRecentMemory<PresenceFacts>(entriesMax);
  const labels = createRecentMemory<LabelFacts>(entriesMax);
  const kinds = createKindMemory(entriesMax);

  function judgeParts(
    raw: JsonObject,
    outline: EventOutline,
    { accepted, rulesKey }: { accepted: string; rulesKey: string },
    judge: (raw: JsonObject) => Judgement,
  ): Judgement | KindFacts {
    let judged: Judgement | null = null;
    const code = codes.recall(
      [accepted, rulesKey, hash('sha256', outline.code, 'binary')],
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
    const facts = code.message === null ? null : factsWith({ tags: label.tags, left: 0 }, code.message);
    return { code, presence, label, facts };
  }

  return {
    judge(source, acceptance, rules, judge) {
      const accepted = acceptanceText(acceptance);
      const rulesKey = rulesText(rules);
      const ofKind = ({ kind }: EventDigest) => `${kind}${accepted}${rulesKey}`;
      const stored = source.digest;
      const known = stored === null ? undefined : kinds.get(ofKind(stored));
      if (stored !== null && known !== undefined) return withOwn(stored, acceptance, known);
      const raw = source.raw();
      const outline = outlineOf(raw);
      const digest = stored ?? (outline === null ? null : digestOf(raw, outline));
      if (outline === null || digest === null) return judge(raw);
      const found = judgeParts(raw, outline, { accepted, rulesKey }, judge);
      if ('event' in found) return found;
      kinds.set(ofKind(digest), found);
      return withOwn(digest, acceptance, found);
    },
  };
}

/** A memory of at most `entriesMax` kinds, of which those that were met last stay. */
function createKindMemory(entriesMax: number) {
  const generationMax = Math.floor(entriesMax / 2);
  let young = new Map<string, KindFacts>();
  let old = new Map<string, KindFacts>();
  function set(key: string, facts: KindFacts): void {
    if (young.size >= generationMax) {
      old = young;
      young = new Map();
    }
    young.set(key, facts);
  }
  return {
    get(key: string): KindFacts | undefined {
      const recent = young.get(key);
      if (recent !== undefined) return recent;
      const facts = old.get(key);
      if (facts !== undefined) set(key, facts);
      return facts;
    },
    set,
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
  digest: EventDigest,
  acceptance: Acceptance,
  { code, presence, label, facts }: KindFacts,
): Judgement {
  const { fingerprint, severity, offered } = code;
  const { observations, hasRequest, richness } = presence;
  const { eventType, service, sdk, losses, release, tags } = label;
  const own = ownParts(digest, acceptance);
  return {
    hashes: own.hashes,
    clientKeys: own.clientKeys,
    digest: own.digest,
    idHash: own.idHash,
    fingerprint,
    severity,
    observations,
    facts: facts === null ? null : ownFacts(digest, tags, facts),
    event: {
      eventId: own.eventId,
      eventType,
      effectiveAtMs: own.effectiveAtMs,
      receivedAtMs: own.receivedAtMs,
      service,
      sdk,
      level: null,
      userHash: own.userHash,
      hasRequest,
      richness,
      offered: offered | presence.offered,
      losses,
      release,
      aboutEventId: null,
      kept: null,
    },
  };
}

function ownFacts(digest: EventDigest, tags: readonly string[], facts: SignalFacts): SignalFacts {
  if (digest.tags === null && digest.message === null) return facts;
  return factsWith(
    digest.tags === null ? { tags, left: 0 } : withOwnTags(tags, JSON.parse(digest.tags)),
    digest.message ?? facts.message,
  );
}

function factsWith({ tags, left }: EventTags, message: string): SignalFacts {
  return { tags, tagsLeft: left, message };
}
