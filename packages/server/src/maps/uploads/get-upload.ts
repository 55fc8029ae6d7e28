import { setTimeout as wait } from 'node:timers/promises';
import type { getMapUpload as endpoint, MapUpload } from '@culprit/contract/releases/map-uploads';
import { Problem } from '../../platform/http/binding/problem.ts';
import { clientKey } from '../../platform/http/limits/client-key.ts';
import { createWaiterSlots } from '../../platform/http/limits/waiter-slots.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { answerOf, missingOf } from './upload-answer.ts';
import { findUpload } from './uploads.queries.ts';

/** The interval at which an upload is read while a request waits for it. */
const LOOK_MS = 500;
const RETRY_SECONDS = 5;
const PLACES = createWaiterSlots({ person: 10, address: 40, process: 200 });

/**
 * An upload with the verdicts on its files (docs/contract/source-maps.md 3.3), waited for if asked.
 * @throws Problem `upload_not_found`, `rate_limited`
 */
export async function getUpload(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<{ upload: MapUpload; missing: { sha256: string; parts: number[] }[] }> {
  const { projectId, recordId: uploadId } = request.access;
  const waitMs = (request.query.wait_seconds ?? 0) * 1000;
  if (waitMs > 0) await waitUntilDone(runtime, request, waitMs);
  const { upload, files, state } = await answerOf(runtime.database, projectId, uploadId);
  const missing = state === 'open' ? await missingOf(runtime.database, projectId, uploadId, files) : [];
  return { upload, missing };
}

async function waitUntilDone(
  { database, ledger }: Runtime,
  {
    access: { projectId, recordId: uploadId },
    caller,
    clientAddress,
    connection,
  }: ApiRequest<typeof endpoint>,
  waitMs: number,
): Promise<void> {
  const giveBack = PLACES.take({ person: caller.userId, address: clientKey(clientAddress) });
  if (giveBack === null) throw new Problem('rate_limited', { retryAfterSeconds: RETRY_SECONDS });
  const gone = new AbortController();
  connection.onClosed(() => gone.abort());
  const signal = AbortSignal.any([gone.signal, ledger.closing]);
  const deadlineMs = performance.now() + waitMs;
  try {
    for (;;) {
      const row = await findUpload(database, projectId, uploadId);
      const leftMs = deadlineMs - performance.now();
      if (row === null || row.state === 'done' || row.state === 'expired' || leftMs <= 0 || signal.aborted)
        return;
      // While nothing is done for it, the request takes no place of others.
      connection.rest();
      await wait(Math.min(LOOK_MS, leftMs), undefined, { signal }).catch(() => {});
      if (!connection.resume()) return;
    }
  } finally {
    giveBack();
  }
}
