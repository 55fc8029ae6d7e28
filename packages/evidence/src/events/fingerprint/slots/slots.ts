import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../envelope/json.ts';
import type { NormalizedEvent } from '../../normalize/event.ts';
import { cutCodePoints } from '../bounded-text.ts';
import { fingerprintEvent } from '../fingerprint.ts';
import type { Fingerprint } from '../sealed-fingerprint.ts';
import type { StackRule } from '../stack/stack-rules.ts';
import { foldNeighbours } from '../template/fold-neighbours.ts';
import { templateTokens, writtenTemplate } from '../template/message-template.ts';
import { type TemplateToken, valueToken } from '../template/template-token.ts';
import { ENDS_WEIGHT, openEnds } from './release-ends.ts';
import { bareWord, mayBeValue, namesThing } from './slot-words.ts';

/** Different words that open a slot; fewer where the code place is the same. A value in the place counts as two. */
const OPENING_WEIGHT = 5;
const OPENING_WEIGHT_AT_CODE = 3;
export const VALUE_WEIGHT = 2;

/** Places of a template that are looked at, and places that are open in one pattern, at most. */
const PLACES_MAX = 12;
const OPEN_PLACES_MAX = 3;
const OTHER_WORDS_MIN = 2;
const FIXED_SHARE_MIN = 0.4;
/** The maximum length of `pattern`. */
const PATTERN_CODE_POINTS_MAX = 256;

/** A template with one more place open: all templates that differ in this place alone have it. */
export interface Slot {
  /** 32 hex digits. */
  id: string;
  /** The kind of open place: a word of the message, or the ends of names that may be hashes. */
  kind: 'word' | 'ends';
  /** The lowercase word in the place; null if a value is already there. */
  word: string | null;
  /** The template with `[…]` at the open place. */
  pattern: string;
  /** Weight of different words that opens it. */
  opensAt: number;
  /** The slots of the pattern itself, which count once it is open. */
  further: () => Slot[];
}

/** The origin of an event. */
interface SlotSource {
  /** Slots that browsers feed are never those that servers feed. */
  isBrowser: boolean;
  /** Null where it names none. */
  release: string | null;
  /** The material of its key if source maps named its frames; else null. */
  mappedJson: string | null;
}

/**
 * The slots of an event (docs/contract/grouping.md 3), at most fourteen: words of its message that may be values, and the
 * ends of its files that may be hashes.
 */
export function slotsOf(event: NormalizedEvent, rules: readonly StackRule[], source: SlotSource): Slot[] {
  const found = fingerprintEvent(event, rules);
  if (found === null) return [];
  const { mappedJson } = source;
  const material: unknown = JSON.parse(mappedJson ?? found.materialJson);
  if (!isJsonObject(material)) return [];
  const words = wordSlots(found, material, source);
  // Names of originals have no ends that a build made.
  return mappedJson === null ? [...endSlots(found, material, source), ...words] : words;
}

function endSlots({ chain }: Fingerprint, material: JsonObject, { isBrowser, release }: SlotSource): Slot[] {
  const open = openEnds(material, chain, release);
  if (open === null) return [];
  return [
    {
      id: idOf([isBrowser, 'ends', open.shape, open.material]),
      kind: 'ends',
      word: open.word,
      pattern: cutCodePoints(open.pattern, PATTERN_CODE_POINTS_MAX),
      opensAt: ENDS_WEIGHT,
      further: () => [],
    },
  ];
}

function idOf(parts: unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);
}

function wordSlots(found: Fingerprint, material: JsonObject, { isBrowser, mappedJson }: SlotSource): Slot[] {
  if (found.wording === null) return [];
  const tokens = templateTokens(found.wording.message, found.wording.type);
  const template: OpenTemplate = {
    idOf: (message) => idOf([isBrowser, { ...material, msg: message }]),
    opensAt: found.applicationFrame === null && mappedJson === null ? OPENING_WEIGHT : OPENING_WEIGHT_AT_CODE,
    openPlaces: 0,
  };
  const slots = placeSlots(tokens, template);
  // The template may be the pattern of others, with a value where they have a word.
  if (tokens.some(({ kind }) => kind === 'value')) {
    slots.push({ ...slotOf(tokens, null, template), further: () => [] });
  }
  return slots;
}

interface OpenTemplate {
  idOf: (message: string) => string;
  opensAt: number;
  openPlaces: number;
}

function placeSlots(tokens: readonly TemplateToken[], template: OpenTemplate): Slot[] {
  if (template.openPlaces >= OPEN_PLACES_MAX) return [];
  const places = tokens.flatMap((_, index) => (isPlace(tokens, index) ? [index] : []));
  return places.slice(0, PLACES_MAX).map((index) => {
    const token = tokens[index];
    const opened = foldNeighbours(
      tokens.map((each, at) => (at === index ? valueToken(OPEN, each.isSpaced) : each)),
    );
    return slotOf(opened, bareWord(token?.text ?? ''), { ...template, openPlaces: template.openPlaces + 1 });
  });
}

/** The text of the token at an open place. */
const OPEN = '…';

function slotOf(opened: readonly TemplateToken[], word: string | null, template: OpenTemplate): Slot {
  return {
    id: template.idOf(writtenTemplate(opened)),
    kind: 'word',
    word: word?.toLowerCase() ?? null,
    pattern: cutCodePoints(shown(opened), PATTERN_CODE_POINTS_MAX),
    opensAt: template.opensAt,
    further: () => placeSlots(opened, template),
  };
}

function shown(tokens: readonly TemplateToken[]): string {
  return writtenTemplate(tokens, ({ text }) => (text === OPEN ? '[…]' : '<*>'));
}

/** Returns true if the word at a place can be a value: the text around it must say enough without it. */
function isPlace(tokens: readonly TemplateToken[], index: number): boolean {
  const token = tokens[index];
  if (token?.kind !== 'word' || !mayBeValue(token.text)) return false;
  const isQuoted = token.text.startsWith("'");
  // The first word of a sentence is what it is about.
  if (index === 0 && !isQuoted) return false;
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  if (before?.kind === 'word' && namesThing(before.text)) return false;
  if (after?.kind === 'word' && namesThing(after.text)) return false;
  return saysEnough(tokens, index);
}

function saysEnough(tokens: readonly TemplateToken[], place: number): boolean {
  let words = 0;
  let fixedChars = 0;
  let openChars = 0;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (index === place || kind === 'value') {
      openChars += index === place ? text.length : 1;
    } else if (kind === 'word') {
      words += 1;
      fixedChars += text.length;
    }
  }
  return words >= OTHER_WORDS_MIN && fixedChars >= FIXED_SHARE_MIN * (fixedChars + openChars);
}
