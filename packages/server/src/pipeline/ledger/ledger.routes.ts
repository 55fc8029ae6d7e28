import { streamChanges as streamChangesEndpoint } from '@culprit/contract/endpoints/stream';
import { listLifecycle as listLifecycleEndpoint } from '@culprit/contract/incidents/lifecycle';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkFeedQuery, listLifecycle } from './list-lifecycle.ts';
import { type StreamTimes, streamChanges } from './stream-changes.ts';

/** The ledger, as programs follow it. */
export function bindLedgerRoutes(
  binder: Binder<ApiCallers>,
  runtime: Runtime,
  streamTimes?: StreamTimes,
): void {
  binder
    .bind(listLifecycleEndpoint)
    .checked(checkFeedQuery)
    .answers((request) => listLifecycle(runtime, request));
  binder.bind(streamChangesEndpoint).to(async (request) => ({
    status: 200,
    headers: { 'x-accel-buffering': 'no' },
    body: await streamChanges(runtime, request, streamTimes),
  }));
}
