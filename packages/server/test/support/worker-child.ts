import { createLogger } from '../../src/platform/log.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { startWorker, type WorkerSettings } from '../../src/roles/worker.ts';

/** A process of its own around the worker role, for tests that kill it. It ends with its parent. */
export type WorkerChildSettings = Omit<WorkerSettings, 'background'> & {
  /** What its main thread does besides; the data key in base64. */
  background?: Omit<NonNullable<WorkerSettings['background']>, 'dataKey'> & { dataKeyText: string };
};

process.on('disconnect', () => process.exit(0));
process.once('message', ({ background, ...settings }: WorkerChildSettings) => {
  const log = createLogger({ level: settings.logLevel, role: 'test-worker', toStandardError: true });
  void startWorker({ ...settings, ...readBackground(background) }, log).then(() => process.send?.('ready'));
});

function readBackground(background: WorkerChildSettings['background']): Pick<WorkerSettings, 'background'> {
  if (background === undefined) return {};
  const { dataKeyText, ...rest } = background;
  return { background: { ...rest, dataKey: new Secret(Buffer.from(dataKeyText, 'base64')) } };
}
