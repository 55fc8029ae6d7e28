import { type FetchRequest, type FetchResponse, toResponse } from '../relay/fetch-call.ts';
import { refuse } from '../relay/relay-answer.ts';
import type { RelayOptions } from '../relay/relay-options.ts';

/** `onRequestError` of Next.js where the runtime is not Node: it captures nothing. */
export function onRequestError(_error: unknown, _request: unknown, _context: unknown): void {}

/**
 * The relay where the runtime is not Node: the route builds, and every answer says that nothing was delivered. Routes of
 * Node deliver, which Next.js makes unless an application says otherwise.
 */
export function relay(_options: RelayOptions = {}): (request: FetchRequest) => Promise<FetchResponse> {
  return async () => toResponse(refuse('relay_delivery_failed', null));
}

export const POST: (request: FetchRequest) => Promise<FetchResponse> = relay();
export const OPTIONS: (request: FetchRequest) => Promise<FetchResponse> = relay();
export const GET: (request: FetchRequest) => Promise<FetchResponse> = relay();
