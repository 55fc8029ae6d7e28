import { parentPort } from 'node:worker_threads';
import { redactText } from '@culprit/evidence/events/redact/redact-values';
import { makeForm } from '@culprit/source-maps/make-form';
import type { FormReport, FormTask } from './form-messages.ts';

/** A thread that judges one pair after the other: what a map costs ends with it. */

parentPort?.on('message', (task: FormTask) => {
  const pair = {
    path: task.path,
    debugId: task.debugId,
    generated: bytesOf(task.generated),
    map: bytesOf(task.map),
  };
  makeForm(pair, redactText).then(
    (made) => tell({ kind: 'judged', made }),
    (error: unknown) => tell({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' }),
  );
});
tell({ kind: 'ready' });

function tell(report: FormReport): void {
  parentPort?.postMessage(report);
}

function bytesOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
