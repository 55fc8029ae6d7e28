/** The outcome of parts of foreign requests (docs/contract/foreign-protocols.md 11.6). */
export type KindOutcome = 'taken' | 'not_taken' | 'over_limit';

/** The parts of one request, by kind and outcome. */
export class KindCounts {
  readonly #counts = new Map<string, Record<KindOutcome, number>>();

  add(kind: string, outcome: KindOutcome, parts = 1): void {
    if (parts === 0) return;
    let counts = this.#counts.get(kind);
    if (counts === undefined) {
      counts = { taken: 0, not_taken: 0, over_limit: 0 };
      this.#counts.set(kind, counts);
    }
    counts[outcome] += parts;
  }

  /** For a request of which nothing was stored: what would have been taken was too much. */
  refuseTaken(): void {
    for (const counts of this.#counts.values()) {
      counts.over_limit += counts.taken;
      counts.taken = 0;
    }
  }

  entries(): Iterable<[kind: string, counts: Readonly<Record<KindOutcome, number>>]> {
    return this.#counts;
  }
}
