import { counter, histogram } from '../metrics/metric-kinds.ts';
import type { Metric } from '../metrics/metrics.ts';
import { ObjectMissingError, type ObjectStore } from './object-store.ts';

const FAILURES = 'culprit_object_store_failures_total';

const duration = histogram({
  name: 'culprit_object_store_seconds',
  help: 'Duration of object store operations, including failures.',
  labelNames: ['operation'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
});
const failures = counter({
  name: FAILURES,
  help: 'Operations of the object store that failed. A missing object is not a failure.',
  labelNames: ['operation'],
});

type Operation = Exclude<keyof ObjectStore, 'freeSpace' | 'list' | 'mayAnswerLate'>;
const OPERATIONS: readonly Operation[] = [
  'put',
  'append',
  'get',
  'getRange',
  'delete',
  'deleteFolder',
  'exists',
  'check',
];
for (const operation of OPERATIONS) failures.inc({ operation }, 0);

/** The same store, whose operations are measured. */
export function measured(store: ObjectStore): ObjectStore {
  const { append } = store;
  return {
    put: (key, bytes) => measure('put', () => store.put(key, bytes)),
    append: append === null ? null : (prefix, bytes) => measure('append', () => append(prefix, bytes)),
    mayAnswerLate: store.mayAnswerLate,
    get: (key) => measure('get', () => store.get(key)),
    getRange: (key, offset, length) => measure('getRange', () => store.getRange(key, offset, length)),
    delete: (key) => measure('delete', () => store.delete(key)),
    deleteFolder: (folder, limit, nameBegins) =>
      measure('deleteFolder', () => store.deleteFolder(folder, limit, nameBegins)),
    exists: (key) => measure('exists', () => store.exists(key)),
    // Only commands list, and a listing lasts as long as its reader takes.
    list: (folder) => store.list(folder),
    check: () => measure('check', () => store.check()),
    freeSpace: () => store.freeSpace(),
  };
}

async function measure<Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ObjectMissingError)) failures.inc({ operation });
    throw error;
  } finally {
    duration.observe({ operation }, (performance.now() - startedAtMs) / 1000);
  }
}

/** Returns how many operations failed, by the metrics of a process. */
export function failuresOf(read: readonly Metric[]): number {
  const found = read.find(({ name }) => name === FAILURES);
  return found?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
}
