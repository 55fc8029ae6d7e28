/** Bounds of the attributes of a resource, a span, an event of one, or a record (docs/contract/foreign-protocols.md 8.3). */
const ATTRIBUTES_MAX = 128;
/** Levels of a value that are kept. */
export const LEVELS_MAX = 8;
/** Levels beyond which a body is refused: what other readers of protobuf stop at. */
export const NESTING_MAX = 100;
export const KEY_CHARS_MAX = 256;
/** The limits of a value itself, which can be a stack, and of text inside of one. */
const TEXT_CHARS_MAX = 262_144;
export const INNER_TEXT_CHARS_MAX = 8_192;

/** The space that an item has left; the event intake accepts 20,000 values in an event. */
export interface ValueBudget {
  left: number;
  attributes: number;
}

export function valueBudget(): ValueBudget {
  return { left: 4_000, attributes: ATTRIBUTES_MAX };
}

/** The budget for the next attribute: nothing of it is kept when there are too many. */
export function ofNextAttribute(budget: ValueBudget): ValueBudget {
  budget.attributes -= 1;
  return budget.attributes >= 0 ? budget : { left: 0, attributes: 0 };
}

export function textCharsMax(level: number): number {
  return level === 1 ? TEXT_CHARS_MAX : INNER_TEXT_CHARS_MAX;
}
