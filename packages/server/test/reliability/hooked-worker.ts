import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ThreadDuty } from '../../src/roles/thread-settings.ts';
import { SELF_HOSTED, type TestCulprit } from '../support/culprit.ts';
import type { WorkerChildSettings } from '../support/worker-child.ts';
import { DEATH_FILE_VARIABLE } from './mortal-database.ts';

/** A worker process in whose threads modules of the tests take the place of the program's (`worker-modules.ts`). */
export interface HookedWorker {
  kill(): Promise<void>;
}

const WORKER = fileURLToPath(new URL('../support/worker-child.ts', import.meta.url));
const MODULES = fileURLToPath(new URL('worker-modules.ts', import.meta.url));

export async function startHookedWorker(
  culprit: TestCulprit,
  options: { duties: readonly ThreadDuty[]; retryScale: number; deathFile?: string },
): Promise<HookedWorker> {
  const { duties, retryScale, deathFile } = options;
  const child = fork(WORKER, {
    execArgv: ['--import', MODULES],
    env: { ...process.env, ...(deathFile === undefined ? {} : { [DEATH_FILE_VARIABLE]: deathFile }) },
  });
  const ended = once(child, 'exit');
  const settings: WorkerChildSettings = {
    databaseUrl: culprit.databaseUrl,
    objectStore: culprit.objectStore,
    plans: SELF_HOSTED,
    constants: { baseUrl: culprit.url, appUrl: culprit.url },
    logLevel: process.env.CULPRIT_TEST_LOG ?? 'silent',
    retryScale,
    duties,
  };
  child.send(settings);
  const isReady = await Promise.race([once(child, 'message').then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error('the worker process ended before it was ready');
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
