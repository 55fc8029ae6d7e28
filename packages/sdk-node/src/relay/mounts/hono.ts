import { type FetchRequest, type FetchResponse, fetchCall, toResponse } from '../fetch-call.ts';
import { mountRelay } from '../mount.ts';
import type { RelayOptions } from '../relay-options.ts';
import { addRelayPath } from '../relay-paths.ts';

/** A context of Hono, as far as the relay uses it. */
interface RelayHonoContext {
  readonly req: { readonly raw: FetchRequest; readonly path: string };
  readonly env: unknown;
}

/** The relay for Hono: `app.all('/culprit/browser', relay())`, before body parsers, CSRF protection and sign-in. */
export function relay(options: RelayOptions = {}): (context: RelayHonoContext) => Promise<FetchResponse> {
  const mounted = mountRelay(options);
  return async (context) => {
    addRelayPath(context.req.path);
    const call = fetchCall(context.req.raw, { original: context, socketAddress: socketAddress(context.env) });
    return toResponse(await mounted.answer(call));
  };
}

/** If Hono runs on Node, the environment has the request of `node:http`. */
function socketAddress(env: unknown): string | null {
  let value = env;
  for (const name of ['incoming', 'socket', 'remoteAddress']) {
    if (typeof value !== 'object' || value === null) return null;
    value = Reflect.get(value, name);
  }
  return typeof value === 'string' ? value : null;
}
