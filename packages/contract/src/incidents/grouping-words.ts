import type { GroupingBlock } from './bundle-context.ts';
import {
  GROUPING_READERS,
  GROUPING_RULES,
  type GroupingExplanation,
  MATCHED_FIELDS,
} from './grouping-explanation.ts';

/** The mark for the position of different words in the template of a slot. */
const SLOT_MARK = '[…]';
/** Words that a sentence names. */
const WORDS_NAMED = 5;

/** The facts about a slot; its texts come from events. */
interface ExplainedSlot {
  template: string;
  words: readonly string[];
  holds_values: boolean;
  opened_at: string;
  opened_by_event_id: string;
}

/** Why events that differ in one place are one incident (docs/contract/grouping.md 3), in one sentence. */
export function slotSentence(slot: ExplainedSlot): string {
  // A word of a message holds no blank; an end of a file has its release behind it.
  const isOfFiles = slot.words.some((word) => word.includes(' '));
  const what = isOfFiles
    ? 'Same code but for a hash that each release changes'
    : 'Same text but for one word';
  return `${what}: ${slotText(slot)}; opened by event ${slot.opened_by_event_id} at ${slot.opened_at}.`;
}

/** The template with the words that were seen in its place; behind it where it has several places. */
function slotText({ template, words, holds_values }: ExplainedSlot): string {
  const named = [...words.slice(0, WORDS_NAMED), ...(holds_values ? ['values'] : []), '…'].join(', ');
  const [before, after, ...more] = template.split(SLOT_MARK);
  if (before === undefined || after === undefined || more.length > 0) return `${template} (${named})`;
  return `${before}[${named}]${after}`;
}

/**
 * Returns how events of an incident were grouped, a sentence each: what read them and decided their key, what slots
 * tie, what was merged, and what was changed last.
 */
export function groupingSentences(grouping: GroupingBlock): string[] {
  const { members, slots, changes } = grouping;
  return [
    ...explanationParts(grouping).map(({ label, text }) => `${label}: ${text}.`),
    ...slots.map(slotSentence),
    ...(members.length === 0 ? [] : [`Takes the events of ${members.length} more: ${members.join(', ')}.`]),
    ...changes.map(({ kind, at, by, user_id }) => {
      const who = by === 'person' ? `a person${user_id === null ? '' : ` (${user_id})`}` : BY_WORDS[by];
      return `${kind === 'merged' ? 'Merged' : 'Split'} by ${who} at ${at}.`;
    }),
  ];
}

const BY_WORDS = { slot: 'a slot', rules: 'other rules of grouping', maps: 'source maps' } as const;

/** An explanation in words: the inputs of the key, what read the event, and what decided. */
export function explanationParts({ matched_fields, readers, rule }: GroupingExplanation) {
  return [
    { label: 'Grouped by', text: matched_fields.map((field) => MATCHED_FIELDS[field]).join(', ') },
    { label: 'Read by', text: readers.map((reader) => GROUPING_READERS[reader]).join(', then ') },
    { label: 'Decided by', text: GROUPING_RULES[rule] },
  ];
}
