import type { Logger } from 'pino';
import type { Database } from '../../../platform/db/database.ts';
import { errorFields } from '../../../platform/error-fields.ts';
import { counter } from '../../../platform/metrics/metric-kinds.ts';
import { addKindSums, type ForeignProtocolName, type KindSum } from './foreign-kinds.queries.ts';
import type { KindCounts, KindOutcome } from './kind-counts.ts';

/**
 * Counts what foreign clients send by kind. Sums are written a second after the first part of them came: a page sends a
 * session with every load, which must not cost a statement. A process that is killed loses those of its last second.
 */
export interface KindLedger {
  add(projectId: string, protocol: ForeignProtocolName, counts: KindCounts): void;
  /** Writes what is there. */
  flush(): Promise<void>;
}

const FLUSH_AFTER_MS = 1000;
/** While nothing can be written; further kinds of projects are not counted until then. */
const SUMS_MAX = 10_000;

const items = counter({
  name: 'culprit_foreign_items_total',
  help: 'Parts of the requests of foreign clients, by what became of them.',
  labelNames: ['protocol', 'kind', 'outcome'],
});

export function createKindLedger(database: Database, log: Logger): KindLedger {
  let sums = new Map<string, KindSum>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function sumOf(project_id: string, protocol: ForeignProtocolName, kind: string): KindSum | null {
    const key = `${project_id} ${protocol} ${kind}`;
    const known = sums.get(key);
    if (known !== undefined) return known;
    if (sums.size >= SUMS_MAX) return null;
    const sum: KindSum = { project_id, protocol, kind, taken: 0, not_taken: 0, over_limit: 0 };
    sums.set(key, sum);
    return sum;
  }

  async function write(): Promise<void> {
    if (sums.size === 0) return;
    const written = sums;
    sums = new Map();
    try {
      await addKindSums(database, [...written.values()]);
    } catch (error) {
      log.warn(errorFields(error), 'kinds of foreign items could not be counted');
      for (const sum of written.values()) {
        const kept = sumOf(sum.project_id, sum.protocol, sum.kind);
        if (kept !== null) for (const outcome of OUTCOMES) kept[outcome] += sum[outcome];
      }
      schedule();
    }
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing = writing.then(write);
    return writing;
  }

  return {
    add(projectId, protocol, counts) {
      for (const [kind, outcomes] of counts.entries()) {
        const sum = sumOf(projectId, protocol, kind);
        for (const outcome of OUTCOMES) {
          const parts = outcomes[outcome];
          if (parts === 0) continue;
          items.inc({ protocol, kind, outcome }, parts);
          if (sum !== null) sum[outcome] += parts;
        }
        schedule();
      }
    },
    async flush() {
      await flush();
      // Counts that failed would be retried for ever.
      if (timer !== null) clearTimeout(timer);
    },
  };
}

const OUTCOMES = ['taken', 'not_taken', 'over_limit'] as const satisfies readonly KindOutcome[];
