/** Signals of an incident that are all counted by their tags; of each further decade, at most as many are. */
export const TAGS_EXACT_MAX = 1_000;

/**
 * Returns the number of signals that one with counted tags represents; 0: it is not counted
 * (docs/contract/team-workflow.md 1.3).
 * @param number the number of the signal in its incident, from 1
 * @param idHash of the id of its event, so that a repeated batch counts the same
 */
export function tagWeight(number: number, idHash: () => bigint): number {
  if (number <= TAGS_EXACT_MAX) return 1;
  const decade = 10 ** Math.floor(Math.log10(number - 1));
  const weight = 2 ** Math.ceil(Math.log2((9 * decade) / TAGS_EXACT_MAX));
  return (idHash() & BigInt(weight - 1)) === 0n ? weight : 0;
}
