import { tokenBound } from '../tokens/token-bound.ts';
import type { Item } from './item.ts';
import { type SectionName, sectionRow } from './sections.ts';

/** Items of one section, and from which of them on they may be shown. */
export interface SectionItems {
  name: SectionName;
  items: readonly Item[];
  offset: number;
}

/** The items of a section that an answer shows. */
export interface ChosenItems extends SectionItems {
  /** Behind the last item that is shown. */
  end: number;
}

/** The prefix and the line break of a line of evidence. */
const LINE_TOKENS = 2;
/** Name of the section and its line break. */
const HEAD_TOKENS = 3;

/**
 * Chooses as many items as fit into the tokens: first those that every answer has, then each section up to its share,
 * in the order of the sections, then the remaining tokens go to the sections that were cut
 * (docs/contract/command-line.md 5.4).
 * @param options.firstsOf how many items of a section every answer has
 * @returns also whether all of these fit
 */
export function chooseItems(
  sections: readonly SectionItems[],
  options: { tokensMax: number; hasShares: boolean; firstsOf(section: SectionItems): number },
): { chosen: ChosenItems[]; hasFirsts: boolean } {
  const chosen = sections.map((section) => ({ ...section, end: section.offset }));
  const spent = new Map<ChosenItems, number>();
  let left = options.tokensMax;

  function take(section: ChosenItems, limits: { itemsEnd: number; tokens: number }): void {
    for (; section.end < Math.min(limits.itemsEnd, section.items.length); section.end += 1) {
      const cost =
        itemBound(section.items[section.end] ?? []) + (section.end === section.offset ? HEAD_TOKENS : 0);
      const already = spent.get(section) ?? 0;
      if (cost > left || already + cost > limits.tokens) return;
      left -= cost;
      spent.set(section, already + cost);
    }
  }

  const firstsEnd = (section: ChosenItems) =>
    Math.min(section.offset + options.firstsOf(section), section.items.length);
  for (const section of chosen) take(section, { itemsEnd: firstsEnd(section), tokens: Infinity });
  const hasFirsts = chosen.every((section) => section.end >= firstsEnd(section));
  if (options.hasShares) {
    for (const section of chosen) {
      take(section, { itemsEnd: Infinity, tokens: sectionRow(section.name).share });
    }
  }
  for (const section of chosen) take(section, { itemsEnd: Infinity, tokens: Infinity });
  return { chosen, hasFirsts };
}

/** Returns the tokens of an item in the form in which it is shown. */
export function itemBound(item: Item): number {
  return item.reduce((sum, line) => sum + tokenBound(line) + LINE_TOKENS, 0);
}
