import type { JsonObject } from '../../../sdk-core/src/wire.ts';

/** Entries that a scope keeps (docs/contract/clients.md 2.3), and how many lines an event takes. */
const MAX_ENTRIES = 50;
const MAX_LOGS = 30;

interface Entry {
  kind: 'log' | 'crumb';
  fact: JsonObject;
}

/** Log lines and breadcrumbs of one unit of work, in the order in which they came; the oldest leave. */
export class Trail {
  #entries: Entry[] = [];

  /** @param fact clean and bounded */
  add(kind: Entry['kind'], fact: JsonObject): void {
    this.#entries.push({ kind, fact });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }

  logs(): JsonObject[] {
    return this.#factsOf('log').slice(-MAX_LOGS);
  }

  crumbs(max: number): JsonObject[] {
    return max <= 0 ? [] : this.#factsOf('crumb').slice(-max);
  }

  #factsOf(kind: Entry['kind']): JsonObject[] {
    return this.#entries.filter((entry) => entry.kind === kind).map(({ fact }) => fact);
  }
}
