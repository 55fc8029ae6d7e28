import { counter, histogram } from '../metrics/metric-kinds.ts';
import { ObjectMissingError, type ObjectStore } from './object-store.ts';

const duration = histogram({
  name: 'culprit_object_store_seconds',
  help: 'How long an operation of the object store took, failures included.',
  labelNames: ['operation'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
});
const failures = counter({
  name: 'culprit_object_store_failures_total',
  help: 'Operations of the object store that failed. An object that is not there is no failure.',
  labelNames: ['operation'],
});

type Operation = Exclude<keyof ObjectStore, 'freeSpace'>;
const OPERATIONS: readonly Operation[] = [
  'put',
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
  return {
    put: (key, bytes) => measure('put', () => store.put(key, bytes)),
    get: (key) => measure('get', () => store.get(key)),
    getRange: (key, offset, length) => measure('getRange', () => store.getRange(key, offset, length)),
    delete: (key) => measure('delete', () => store.delete(key)),
    deleteFolder: (folder, limit) => measure('deleteFolder', () => store.deleteFolder(folder, limit)),
    exists: (key) => measure('exists', () => store.exists(key)),
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
