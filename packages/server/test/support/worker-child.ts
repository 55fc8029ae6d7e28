import { createLogger } from '../../src/platform/log.ts';
import { startWorker } from '../../src/roles/worker.ts';

/** A process of its own around the worker role, for tests that kill it. It ends with its parent. */
export type WorkerChildSettings = Parameters<typeof startWorker>[0];

process.on('disconnect', () => process.exit(0));
process.once('message', (settings: WorkerChildSettings) => {
  const log = createLogger({ level: settings.logLevel, role: 'test-worker', toStandardError: true });
  void startWorker(settings, log).then(() => process.send?.('ready'));
});
