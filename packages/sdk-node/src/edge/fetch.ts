/** The wrapper of fetch-style servers where the runtime is not Node: the handler itself. */
export function withRequest<Parameters extends unknown[], Response>(
  handler: (...parameters: Parameters) => Response | Promise<Response>,
  _options: { waitUntil?: ((work: Promise<unknown>) => void) | undefined } = {},
): (...parameters: Parameters) => Promise<Response> {
  return async (...parameters) => handler(...parameters);
}

export { relay } from './next.ts';
