import type { Database } from '../platform/db/database.ts';
import { createRegistry, gauge } from '../platform/metrics/metric-kinds.ts';
import { type Metric, metricsText, readMetrics, withRole } from '../platform/metrics/metrics.ts';
import { type DatabaseInspection, inspectDatabase, MEASURED_LANES } from './metrics.queries.ts';

/** Asks the worker process of this machine; null when it does not answer. */
export type AskWorker = () => Promise<readonly Metric[] | null>;

/** The page queries the database at most this often, however often it is read. */
const LOOK_INTERVAL_MS = 2000;

/**
 * Makes the page of an API process: its own metrics, those of the worker it was started with, and what the database
 * shows. A part that does not answer is missing from it, and said to be down.
 * @param options.askWorker null: workers are processes of their own, and are asked for themselves
 */
export function createMetricsPage(options: {
  database: Database;
  askWorker: AskWorker | null;
}): () => Promise<string> {
  const { askWorker } = options;
  const look = createDatabaseMetrics(options.database);
  return async () => {
    const [own, worker, database] = await Promise.all([readMetrics(), askWorker?.(), look()]);
    return await metricsText([
      withRole([...own, up(true)], 'api'),
      ...(worker === undefined ? [] : [withRole([...(worker ?? []), up(worker !== null)], 'worker')]),
      database,
    ]);
  };
}

function up(isUp: boolean): Metric {
  return {
    name: 'culprit_up',
    help: 'Whether the process responded.',
    type: 'gauge',
    aggregator: 'first',
    values: [{ value: isUp ? 1 : 0, labels: {} }],
  };
}

/** Returns the metrics of the database; at most a few seconds old. */
function createDatabaseMetrics(database: Database): () => Promise<Metric[]> {
  const registry = createRegistry();
  const shown = (name: `culprit_${string}`, help: string, labelNames: 'lane'[] = []) =>
    gauge({ name, help, labelNames }, registry);
  const isUp = shown('culprit_database_up', 'Whether the database responded.');
  const waiting = shown('culprit_queue_length', 'Waiting jobs and messages, including scheduled ones.', [
    'lane',
  ]);
  const due = shown('culprit_queue_due', 'Waiting jobs and messages that are due.', ['lane']);
  const age = shown('culprit_queue_oldest_due_seconds', 'Age of the oldest due job or message.', ['lane']);
  const deadLetters = shown('culprit_dead_letters', 'Events that could not be processed and are parked.');
  const deadRows = shown('culprit_queue_dead_rows', 'Dead rows of the queue table, by the server.');
  const transaction = shown(
    'culprit_database_oldest_transaction_seconds',
    'Age of the oldest transaction of the database.',
  );

  function show(found: DatabaseInspection): void {
    isUp.set(1);
    for (const lane of MEASURED_LANES) {
      for (const each of [waiting, due, age]) each.set({ lane }, 0);
    }
    for (const each of found.lanes) {
      waiting.set({ lane: each.lane }, each.waiting);
      due.set({ lane: each.lane }, each.due);
      age.set({ lane: each.lane }, each.oldestDueSeconds);
    }
    deadLetters.set(found.deadLetters);
    deadRows.set(found.deadRows);
    transaction.set(found.oldestTransactionSeconds);
  }

  async function look(): Promise<Metric[]> {
    try {
      registry.resetMetrics();
      const found = await inspectDatabase(database);
      show(found);
      return await readMetrics(registry);
    } catch {
      // Nothing is known, which is not nothing waiting.
      const read = await readMetrics(registry);
      return read.filter(({ name }) => name === 'culprit_database_up');
    }
  }

  let latest: Promise<Metric[]> | null = null;
  let lookedAtMs = 0;
  return () => {
    if (latest === null || performance.now() - lookedAtMs >= LOOK_INTERVAL_MS) {
      lookedAtMs = performance.now();
      latest = look();
    }
    return latest;
  };
}
