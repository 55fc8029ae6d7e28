import { mountRelay } from '../mount.ts';
import { isNodeRequest, isNodeResponse, nodeCall, pathOf, writeAnswer } from '../node-call.ts';
import { type RelayOptions, withoutSlash } from '../relay-options.ts';

/**
 * The relay for `node:http`: `const relay = relayHandler();` and `if (relay(request, response)) return;` first in the
 * listener. Returns true when the call was the relay's, which then answers it.
 */
export function relayHandler(options: RelayOptions = {}): (request: object, response: object) => boolean {
  const mounted = mountRelay(options);
  return (request, response) => {
    if (!isNodeRequest(request) || !isNodeResponse(response)) return false;
    if (withoutSlash(pathOf(request.url)) !== mounted.settings.path) return false;
    const call = nodeCall(request, {
      original: request,
      parsedBody: Reflect.get(request, 'body'),
      framework: null,
    });
    mounted.answer(call).then(
      (answer) => writeAnswer(response, answer, request.httpVersionMajor === 1),
      () => undefined,
    );
    return true;
  };
}
