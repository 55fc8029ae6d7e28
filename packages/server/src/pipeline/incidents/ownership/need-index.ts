/**
 * Entries by one mark that each of them needs, the rarest, so that of a thousand lines only those are compared that may
 * fit.
 */
export interface NeedIndex<Entry> {
  byNeed: ReadonlyMap<string, readonly Entry[]>;
  /** Those that need nothing. */
  others: readonly Entry[];
}

export function indexByNeeds<Entry>(
  entries: readonly { entry: Entry; needs: readonly string[] }[],
): NeedIndex<Entry> {
  const counts = new Map<string, number>();
  for (const { needs } of entries) {
    for (const need of needs) counts.set(need, (counts.get(need) ?? 0) + 1);
  }
  const byNeed = new Map<string, Entry[]>();
  const others: Entry[] = [];
  for (const { entry, needs } of entries) {
    const [rarest] = needs.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
    if (rarest === undefined) others.push(entry);
    else if (byNeed.get(rarest)?.push(entry) === undefined) byNeed.set(rarest, [entry]);
  }
  return { byNeed, others };
}

/** Returns the entries that may fit what has these marks, in no order. */
export function entriesMet<Entry>({ byNeed, others }: NeedIndex<Entry>, marks: ReadonlySet<string>): Entry[] {
  const met = [...others];
  for (const mark of marks) met.push(...(byNeed.get(mark) ?? []));
  return met;
}
