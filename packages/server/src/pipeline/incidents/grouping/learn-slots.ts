import { endsBefore, isOfOtherFile } from '@culprit/evidence/events/fingerprint/slots/release-ends';
import { type Slot, slotsOf, VALUE_WEIGHT } from '@culprit/evidence/events/fingerprint/slots/slots';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Transaction } from '../../../platform/db/database.ts';
import { type IncidentAge, SlotGroups, type SlotKey, type SlotMerge, slotText } from './slot-groups.ts';
import { lockSlots } from './slot-locks.queries.ts';
import {
  countOpenSlots,
  findDecidedSlots,
  findReleasesOfKeys,
  findSlotMembers,
  memberText,
  type NewWords,
  type OpenedSlot,
  type RecordedErrorCode,
  recordBridges,
  recordEnds,
  recordWords,
  removeUnusedSlots,
  type SlotMember,
} from './slots.queries.ts';

/** A key that no incident has yet; `incidentId` is that of the incident it would open. */
export interface UnknownKey extends IncidentAge, SlotMember {
  event: NormalizedEvent;
  /** The one that the event names. */
  release: string | null;
  /** The material of the key if source maps named its frames; else null. */
  mappedJson: string | null;
}

/** The results of slots for new keys (docs/contract/grouping.md 3). */
export interface LearnedSlots {
  /** By the incident that a key would have opened: the one that it joins, and the slot that leads there. */
  joined: ReadonlyMap<UnknownKey, { incidentId: string; slot: SlotKey }>;
  /** Incidents that become one. */
  merges: readonly (SlotMerge & { isBrowser: boolean })[];
  /** Slots that open now, and open ones that lead elsewhere now. */
  opened: readonly OpenedSlot[];
}

/** New templates of one transaction that slots learn from; more of them only join what is open. */
const LEARNED_KEYS_MAX = 200;
/** Words that one transaction adds to one slot. */
const ADDED_WORDS_MAX = 12;
/** Open slots of a service; those of browsers are few and counted apart, because anybody can send their events. */
const OPEN_SLOTS_MAX = 5000;
const OPEN_BROWSER_SLOTS_MAX = 500;
const BROWSER_SLOTS_PER_DAY = 20;
/** One in so many slots that words are added to looks whether there are too many. */
const BOUND_CHECK_SHARE = 16;

/**
 * Decides in the order of arrival: a key joins what is open, else it adds its words. What opens joins its members. Which
 * slots are open follows from the templates that were seen, in whatever order they came.
 */
export async function learnSlots(
  transaction: Transaction,
  projectId: string,
  keys: readonly UnknownKey[],
  rules: readonly StackRule[],
  releases: KeyReleases,
): Promise<LearnedSlots> {
  const groups = new SlotGroups<UnknownKey>();
  const learning: Learning = { transaction, projectId, keys, releases, groups, openers: new Map() };
  let round = keys.flatMap((key) =>
    slotsOf(key.event, rules, key).map((slot) => ({ key, slot, fingerprint: key.fingerprint })),
  );
  const services = new Set(round.map(({ key }) => key.serviceId));
  if (services.size > 0) await lockSlots(transaction, [...services]);
  while (round.length > 0) round = await learnRound(learning, round);
  const { joined, merges, leads } = learning.groups.result();
  const opened = [...leads].flatMap(([text, incidentId]) => {
    const opener = learning.openers.get(text);
    if (opener === undefined || opener.leadsTo === incidentId) return [];
    return [{ ...opener.place, openedByEventId: opener.eventId, incidentId }];
  });
  const browserSlots = new Set(
    [...learning.openers].flatMap(([text, each]) => (each.isBrowser ? [text] : [])),
  );
  return {
    joined,
    merges: merges.map((each) => ({ ...each, isBrowser: browserSlots.has(slotText(each.slot)) })),
    opened,
  };
}

/** By `keyText`, the releases of the signals of one transaction, which no incident has counted yet. */
export type KeyReleases = ReadonlyMap<string, ReadonlySet<string>>;

/** A key of one service, from browsers and servers alike. */
export function keyText(serviceId: string, fingerprint: string): string {
  return `${serviceId} ${fingerprint}`;
}

/** The decisions so far, while rounds continue. */
interface Learning {
  transaction: Transaction;
  projectId: string;
  keys: readonly UnknownKey[];
  releases: KeyReleases;
  groups: SlotGroups<UnknownKey>;
  /** By slot, the event that opened it, or met it open, and then where it led. */
  openers: Map<string, { place: SlotKey; eventId: string; isBrowser: boolean; leadsTo: string | null }>;
}

/** A word in the place of a slot. */
interface Candidate {
  key: UnknownKey;
  slot: Slot;
  /** The key whose incident represents the word: for a slot's pattern any of its members. */
  fingerprint: string;
}

/** Returns the slots of the patterns that opened. */
async function learnRound(learning: Learning, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const { transaction, projectId } = learning;
  const undecided = await joinOpenSlots(learning, candidates);
  const noted = await recordWords(transaction, projectId, newWords(undecided));
  if (noted.some(({ slot }) => Number.parseInt(slot.slice(-2), 16) % BOUND_CHECK_SHARE === 0)) {
    const senders = new Map(keysOf(undecided).map((key) => [`${key.serviceId} ${key.isBrowser}`, key]));
    for (const { serviceId, isBrowser } of senders.values()) {
      await removeUnusedSlots(transaction, projectId, { serviceId, isBrowser });
    }
  }
  const reached: Opening[] = [];
  for (const { words, ...place } of noted) {
    const seen = undecided.get(slotText(place)) ?? [];
    const [first] = seen;
    if (first === undefined) continue;
    const before =
      first.slot.kind === 'word'
        ? wordsBefore(words, first.slot.opensAt)
        : await endsThatAreHashes(learning, first.key, words);
    if (before !== null) reached.push({ place, seen, words, before });
  }
  const opening = await withinBounds(learning, reached);
  await tieMembers(learning, opening);
  return opening.flatMap(({ seen, words }) => {
    const [first] = seen;
    if (first === undefined) return [];
    const fingerprint = words[0]?.fingerprint ?? first.fingerprint;
    return first.slot.further().map((slot) => ({ key: first.key, slot, fingerprint }));
  });
}

function keysOf(undecided: ReadonlyMap<string, readonly Candidate[]>): UnknownKey[] {
  return [...undecided.values()].flatMap((candidates) => candidates.map(({ key }) => key));
}

/** Ties keys to the slots that are open, and returns those that are neither open nor closed. */
async function joinOpenSlots(
  { transaction, projectId, groups, openers }: Learning,
  candidates: readonly Candidate[],
): Promise<Map<string, Candidate[]>> {
  const places = new Map(candidates.map((each) => [slotText(locationOf(each)), locationOf(each)]));
  const found = await findDecidedSlots(transaction, projectId, [...places.values()]);
  const decided = new Map(found.map((slot) => [slotText(slot), slot]));
  const isOwnKey = new Set(candidates.map(({ key }) => key.fingerprint));
  const undecided = new Map<string, Candidate[]>();
  const tied = new Map<UnknownKey, (SlotKey & { fingerprint: string })[]>();
  const ends: (SlotKey & { word: string })[] = [];
  for (const candidate of candidates) {
    const { key, fingerprint } = candidate;
    const place = locationOf(candidate);
    const text = slotText(place);
    const known = decided.get(text);
    if (known?.isClosed) continue;
    if (known === undefined) {
      undecided.set(text, [...(undecided.get(text) ?? []), candidate]);
      continue;
    }
    const { kind, word } = candidate.slot;
    if (kind === 'ends' && word !== null) {
      if (isOfOtherFile(word, known.words)) continue;
      if (!known.words.includes(word)) {
        known.words.push(word);
        ends.push({ ...place, word });
      }
    }
    if (known.incident !== null) groups.tieIncident(place, known.incident);
    groups.tieKey(place, key, fingerprint === key.fingerprint);
    openers.set(text, {
      place,
      eventId: key.event.eventId,
      isBrowser: key.isBrowser,
      leadsTo: known.incident?.incidentId ?? null,
    });
    tied.set(key, [...(tied.get(key) ?? []), { ...place, fingerprint }]);
  }
  // A key of one slot alone needs no note: its own row says which.
  const bridges = [...tied.values()].flatMap((of) =>
    of.length > 1 || of.some(({ fingerprint }) => !isOwnKey.has(fingerprint)) ? of : [],
  );
  await recordBridges(transaction, projectId, bridges);
  await recordEnds(transaction, projectId, ends);
  return undecided;
}

function newWords(undecided: ReadonlyMap<string, readonly Candidate[]>): NewWords[] {
  const learned = new Set<UnknownKey>();
  return [...undecided.values()].flatMap((candidates) => {
    const words = new Map<string, RecordedErrorCode>();
    for (const { key, slot, fingerprint } of candidates) {
      if (learned.size >= LEARNED_KEYS_MAX && !learned.has(key)) continue;
      learned.add(key);
      const word = slot.word ?? '';
      if (words.size < ADDED_WORDS_MAX && !words.has(word)) words.set(word, { word, fingerprint });
    }
    const [first] = candidates;
    if (first === undefined || words.size === 0) return [];
    const { isBrowser } = first.key;
    return [{ ...locationOf(first), isBrowser, pattern: first.slot.pattern, words: [...words.values()] }];
  });
}

/** The words before the one with which the weight is reached; null when it is not. */
function wordsBefore(words: readonly RecordedErrorCode[], opensAt: number): RecordedErrorCode[] | null {
  let weight = 0;
  for (const [index, { word }] of words.entries()) {
    weight += word === '' ? VALUE_WEIGHT : 1;
    if (weight >= opensAt) return words.slice(0, index);
  }
  return null;
}

/** The ends before the one with which they are hashes; null where they are not. */
async function endsThatAreHashes(
  { transaction, projectId, releases }: Learning,
  { serviceId }: UnknownKey,
  words: readonly RecordedErrorCode[],
): Promise<RecordedErrorCode[] | null> {
  const alone = endsBefore(words.map(({ word }) => ({ word, releases: [] })));
  if (alone === null) return null;
  const fingerprints = words.map(({ fingerprint }) => fingerprint);
  const known = await findReleasesOfKeys(transaction, projectId, { serviceId, fingerprints });
  const before = endsBefore(
    words.map(({ word, fingerprint }) => {
      const arriving = releases.get(keyText(serviceId, fingerprint)) ?? [];
      return { word, releases: [...(known.get(fingerprint) ?? []), ...arriving] };
    }),
  );
  return before === null ? null : words.slice(0, before);
}

interface Opening {
  place: SlotKey;
  /** The candidates of this transaction, in the order of arrival. */
  seen: readonly Candidate[];
  words: readonly RecordedErrorCode[];
  /** Words that were seen before the one that opens it, so that their templates have incidents. */
  before: readonly RecordedErrorCode[];
}

/** Returns the slots that can still open: beyond the bounds they stay unchanged, which keeps incidents separate. */
async function withinBounds(
  { transaction, projectId }: Learning,
  opening: readonly Opening[],
): Promise<Opening[]> {
  const left = new Map<string, { servers: number; browsers: number }>();
  const allowed: Opening[] = [];
  for (const each of opening) {
    const { serviceId } = each.place;
    let bounds = left.get(serviceId);
    if (bounds === undefined) {
      const open = await countOpenSlots(transaction, projectId, serviceId);
      const today = BROWSER_SLOTS_PER_DAY - open.ofBrowsersToday;
      bounds = {
        servers: OPEN_SLOTS_MAX - open.ofServers,
        browsers: Math.min(today, OPEN_BROWSER_SLOTS_MAX - open.ofBrowsers),
      };
      left.set(serviceId, bounds);
    }
    const sender = (each.seen[0]?.key.isBrowser ?? true) ? 'browsers' : 'servers';
    if (bounds[sender] <= 0) continue;
    bounds[sender] -= 1;
    allowed.push(each);
  }
  return allowed;
}

async function tieMembers(learning: Learning, opening: readonly Opening[]): Promise<void> {
  if (opening.length === 0) return;
  const { transaction, keys, groups, openers } = learning;
  const asked = opening.flatMap(({ place: { serviceId }, seen, words }) => {
    const isBrowser = seen[0]?.key.isBrowser ?? true;
    return words.map(({ fingerprint }) => ({ serviceId, fingerprint, isBrowser }));
  });
  const found = await findSlotMembers(transaction, asked);
  const fresh = new Map(keys.map((key) => [memberText(key), key]));
  for (const { place, seen, words, before } of opening) {
    const isBrowser = seen[0]?.key.isBrowser ?? true;
    const isBefore = new Set(before.map(({ fingerprint }) => fingerprint));
    for (const { fingerprint } of words) {
      const text = memberText({ serviceId: place.serviceId, fingerprint, isBrowser });
      const incident = found.get(text);
      const key = fresh.get(text);
      if (incident !== undefined) groups.tieIncident(place, incident);
      else if (key !== undefined) groups.tieKey(place, key, false);
    }
    for (const { key, fingerprint } of seen) {
      groups.tieKey(place, key, fingerprint === key.fingerprint && !isBefore.has(fingerprint));
    }
    const opener = seen.find(({ fingerprint }) => !isBefore.has(fingerprint)) ?? seen[0];
    const eventId = opener?.key.event.eventId ?? '';
    openers.set(slotText(place), { place, eventId, isBrowser, leadsTo: null });
  }
}

function locationOf({ key, slot }: Candidate): SlotKey {
  return { serviceId: key.serviceId, slot: slot.id };
}
