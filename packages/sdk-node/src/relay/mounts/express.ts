import { mountRelay } from '../mount.ts';
import { isNodeRequest, isNodeResponse, nodeCall, pathOf, writeAnswer } from '../node-call.ts';
import type { RelayCall } from '../relay-call.ts';
import { type RelayOptions, withoutSlash } from '../relay-options.ts';
import { addRelayPath } from '../relay-paths.ts';

/**
 * The relay for Express: `app.use('/culprit/browser', relay())`, before body parsers, CSRF protection and sign-in.
 * Answers every call to its own path and passes every other on.
 */
export function relay(
  options: RelayOptions = {},
): (request: object, response: object, next: (error?: unknown) => void) => void {
  const mounted = mountRelay(options);
  const ownPath = options?.path === undefined ? null : mounted.settings.path;
  return (request, response, next) => {
    if (!isNodeRequest(request) || !isNodeResponse(response)) return next();
    const base = textOf(request, 'baseUrl');
    const path = pathOf(request.url);
    if (!isOwn(base, path, ownPath ?? (base === '' ? mounted.settings.path : null))) return next();
    addRelayPath(withoutSlash(`${base}${path}`));
    const call = nodeCall(request, {
      original: request,
      parsedBody: Reflect.get(request, 'body'),
      framework: frameworkFacts(request),
    });
    mounted.answer(call).then(
      (answer) => writeAnswer(response, answer, request.httpVersionMajor === 1),
      () => undefined,
    );
  };
}

/** Below a mount the path is what is left of it; a path that was configured counts with and without the mount. */
function isOwn(base: string, path: string, wanted: string | null): boolean {
  if (wanted === null) return path === '/' || path === '';
  return withoutSlash(path) === wanted || withoutSlash(`${base}${path}`) === wanted;
}

/** The setting `trust proxy` of the application. */
function frameworkFacts(request: object): RelayCall['framework'] {
  const address = textOf(request, 'ip');
  const application: unknown = Reflect.get(request, 'app');
  const get: unknown = isObject(application) ? Reflect.get(application, 'get') : null;
  const trusts: unknown = typeof get === 'function' ? get.call(application, 'trust proxy fn') : null;
  const socket: unknown = Reflect.get(request, 'socket');
  const remote = isObject(socket) ? textOf(socket, 'remoteAddress') : '';
  const isProxyTrusted = typeof trusts === 'function' && trusts(remote, 0) === true;
  return { address: address === '' ? null : address, isProxyTrusted };
}

function textOf(of: object, name: string): string {
  const value: unknown = Reflect.get(of, name);
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
