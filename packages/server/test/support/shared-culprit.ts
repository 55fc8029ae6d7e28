import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit } from './culprit.ts';
import { PACKAGES_DIRECTORY } from './packages.ts';

/** What a shared service can be; whatever else a test wants needs a service of its own. */
const PLANS = { 'self-hosted': SELF_HOSTED, hosted: HOSTED };
type SharedKind = keyof typeof PLANS;

/** Services of this worker of the test runner. */
const services = new Map<SharedKind, Promise<TestCulprit>>();

/**
 * A running service that all test files of a worker share, one after the other, each in projects that it makes. For tests
 * that leave the service as it is: its clock, its worker, its settings. It ends with the worker.
 */
export async function shareCulprit(kind: SharedKind = 'self-hosted'): Promise<TestCulprit> {
  const started = services.get(kind) ?? startUntilExit(kind);
  services.set(kind, started);
  const refuse = () => Promise.reject(new Error('a test that stops the worker needs a service of its own'));
  return { ...(await started), stop: async () => {}, stopWorker: refuse, startWorker: refuse };
}

async function startUntilExit(kind: SharedKind): Promise<TestCulprit> {
  const culprit = await startCulprit({ plans: PLANS[kind], packagesDirectory: PACKAGES_DIRECTORY });
  // Its database goes with the run's cluster. The test runner ends a worker with the signal.
  process.once('exit', () => rmSync(dirname(culprit.objectDirectory), { recursive: true, force: true }));
  process.once('SIGTERM', () => process.exit());
  return culprit;
}
