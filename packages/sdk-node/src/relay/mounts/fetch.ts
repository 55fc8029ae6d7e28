import { type FetchRequest, type FetchResponse, fetchCall, toResponse } from '../fetch-call.ts';
import { mountRelay } from '../mount.ts';
import type { RelayOptions } from '../relay-options.ts';

/**
 * Returns the relay for fetch-style servers: `relay()(request)` answers the call. Such servers do not provide the
 * address of a client, so set `trustProxy` or `clientIp`.
 */
export function relay(options: RelayOptions = {}): (request: FetchRequest) => Promise<FetchResponse> {
  const mounted = mountRelay(options);
  return async (request) =>
    toResponse(await mounted.answer(fetchCall(request, { original: request, socketAddress: null })));
}
