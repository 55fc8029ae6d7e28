import { createLogger } from '../../src/platform/log.ts';
import { Secret } from '../../src/platform/secret.ts';
import { startWorker, type WorkerSettings } from '../../src/roles/worker.ts';

/** A process of its own around the worker role, for tests that kill it. It ends with its parent. */
export type WorkerChildSettings = Omit<WorkerSettings, 'errands'> & {
  /** What its main thread does besides; the data key in base64. */
  errands?: Omit<NonNullable<WorkerSettings['errands']>, 'dataKey'> & { dataKeyText: string };
};

process.on('disconnect', () => process.exit(0));
process.once('message', ({ errands, ...settings }: WorkerChildSettings) => {
  const log = createLogger({ level: settings.logLevel, role: 'test-worker', toStandardError: true });
  void startWorker({ ...settings, ...readErrands(errands) }, log).then(() => process.send?.('ready'));
});

function readErrands(errands: WorkerChildSettings['errands']): Pick<WorkerSettings, 'errands'> {
  if (errands === undefined) return {};
  const { dataKeyText, ...rest } = errands;
  return { errands: { ...rest, dataKey: new Secret(Buffer.from(dataKeyText, 'base64')) } };
}
