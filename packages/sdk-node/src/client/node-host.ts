import { types } from 'node:util';
import type { DiagnosticCode, DiagnosticData } from '../../../sdk-core/src/diagnostics.ts';
import type { Answer, Batch, Host } from '../../../sdk-core/src/sending/host.ts';
import { loadCrypto } from '../load-builtin.ts';
import { describeValue } from './describe-value.ts';
import type { OwnContext } from './own-context.ts';

const POOL_BYTES = 1_024;

/** The outside world of the core, as Node offers it. */
export function createNodeHost(
  own: OwnContext,
  send: (batch: Batch) => Promise<Answer>,
  onDiagnostic: (code: DiagnosticCode, data: DiagnosticData) => void,
): Host {
  let pool = Buffer.alloc(0);
  let used = 0;
  return {
    now: () => own.ask(Date.now),
    random(bytes) {
      if (used + bytes > pool.length) {
        pool = own.ask(() => loadCrypto().randomBytes(POOL_BYTES));
        used = 0;
      }
      used += bytes;
      return pool.subarray(used - bytes, used);
    },
    schedule: (delayMs, run) =>
      own.run(() => {
        const timer = setTimeout(run, delayMs);
        timer.unref();
        return () => clearTimeout(timer);
      }),
    send: (batch) => own.run(() => send(batch)),
    hash: (text) => loadCrypto().createHash('sha256').update(text).digest('hex'),
    describe: describeValue,
    isError: types.isNativeError,
    onDiagnostic,
  };
}
