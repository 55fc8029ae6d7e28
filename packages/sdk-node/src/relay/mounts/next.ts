import { attempt } from '../../client/attempt.ts';
import { active } from '../../client/registry.ts';
import { pathOf } from '../../scope/exchange.ts';
import type { FetchRequest, FetchResponse } from '../fetch-call.ts';
import type { RelayOptions } from '../relay-options.ts';
import { addRelayPath } from '../relay-paths.ts';
import { relay as fetchRelay } from './fetch.ts';

/** A handler of a route of Next.js, for relays with options: `export const POST = relay({ … })`. */
export function relay(options: RelayOptions = {}): (request: FetchRequest) => Promise<FetchResponse> {
  const answer = fetchRelay(options);
  return (request) => {
    // The path of a route is that of its file, which the options need not repeat.
    addRelayPath(pathOf(request.url));
    // Its first call has the scope of a request by now.
    attempt(() => active()?.leaveRequest());
    return answer(request);
  };
}

let standard: ((request: FetchRequest) => Promise<FetchResponse>) | null = null;

/** All three share one relay, and so one limit. It is made with the first call: importing it does nothing. */
function answer(request: FetchRequest): Promise<FetchResponse> {
  standard ??= relay();
  return standard(request);
}

/** In `app/culprit/browser/route.ts`: `export { POST, OPTIONS, GET } from '@culprit/node/next'`. */
export const POST: typeof answer = answer;
export const OPTIONS: typeof answer = answer;
export const GET: typeof answer = answer;
