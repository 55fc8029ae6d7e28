import type { GroupingBlock } from '@culprit/contract/incidents/bundle-context';
import type { GroupingExplanation } from '@culprit/contract/incidents/grouping-explanation';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { GroupingEvidence } from '../../evidence/bundle-evidence.ts';
import { browserText } from '../../evidence/evidence-text.ts';

/** The limit of the list, newest first; the answer of the API has all of them. */
export const GROUPING_MEMBERS_MAX = 20;
export const GROUPING_SLOTS_MAX = 5;
export const GROUPING_CHANGES_MAX = 10;
const WORDS_MAX = 12;

const NOTHING_ELSE: GroupingEvidence = { members: [], slots: [], changes: [] };

/**
 * Returns the explanation of an incident's key, and the reasons why events with other keys are part of it; null for an
 * improvement.
 */
export function groupingBlock(
  explanation: GroupingExplanation | undefined,
  { members, slots, changes }: GroupingEvidence = NOTHING_ELSE,
): GroupingBlock | null {
  if (explanation === undefined) return null;
  return {
    version: 1,
    ...explanation,
    members: members.slice(0, GROUPING_MEMBERS_MAX),
    slots: slots.slice(0, GROUPING_SLOTS_MAX).map((slot) => {
      const words = slot.words.filter((word) => word !== '');
      return {
        slot_id: slot.slotId,
        template: browserText(slot.pattern),
        words: words.slice(0, WORDS_MAX).map((word) => browserText(word)),
        holds_values: words.length < slot.words.length,
        only_browsers: slot.isBrowser,
        opened_at: formatTimestamp(slot.openedAtMs),
        opened_by_event_id: slot.openedByEventId,
      };
    }),
    changes: changes.slice(0, GROUPING_CHANGES_MAX).map((change) => ({
      kind: change.kind,
      at: formatTimestamp(change.atMs),
      by: change.by,
      user_id: change.userId,
      slot_id: change.slotId,
      into: change.into,
    })),
  };
}
