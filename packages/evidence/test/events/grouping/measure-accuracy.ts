/** How well keys find the true groups of some items. */
interface Accuracy {
  items: number;
  trueGroups: number;
  foundGroups: number;
  /** Of the pairs that share a key, those that belong together. */
  precision: number;
  /** Of the pairs that belong together, those that share a key. */
  recall: number;
  /** Share of the items whose found group is exactly their true one. */
  groupingAccuracy: number;
}

/** @param items each with its true group and its key */
export function measureAccuracy(items: readonly { truth: string; key: string }[]): Accuracy {
  const byTruth = countBy(items.map(({ truth }) => truth));
  const byKey = countBy(items.map(({ key }) => key));
  const byBoth = countBy(items.map(({ truth, key }) => JSON.stringify([truth, key])));
  const shared = pairs(byBoth);
  const together = pairs(byTruth);
  const joined = pairs(byKey);
  const exact = items.filter(({ truth, key }) => {
    const both = byBoth.get(JSON.stringify([truth, key]));
    return both === byTruth.get(truth) && both === byKey.get(key);
  });
  return {
    items: items.length,
    trueGroups: byTruth.size,
    foundGroups: byKey.size,
    precision: joined === 0 ? 1 : shared / joined,
    recall: together === 0 ? 1 : shared / together,
    groupingAccuracy: items.length === 0 ? 1 : exact.length / items.length,
  };
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function pairs(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += (count * (count - 1)) / 2;
  return total;
}
