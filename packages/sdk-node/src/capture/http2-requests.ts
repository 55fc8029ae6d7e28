import type { RequestInfo } from '../client/implementation.ts';
import { HandExchange } from '../scope/hand-exchange.ts';
import { type Scopes, Unit } from '../scope/scopes.ts';
import type { Recorder } from './recorder.ts';
import { read, readText, type Subscriptions } from './subscriptions.ts';

/** Without the fields that begin with a colon, of which the address is known to events as `host`. */
function requestOf(headers: object): RequestInfo {
  const host = readText(headers, ':authority');
  const own = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
  return {
    method: readText(headers, ':method') ?? undefined,
    url: readText(headers, ':path') ?? undefined,
    headers: Object.fromEntries(host === null ? own : [['host', host], ...own]),
  };
}

/** Gives every request of `node:http2` a scope, where Node has the channel (24 and newer). */
export function watchHttp2(
  subscriptions: Subscriptions,
  scopes: Scopes,
  recorder: Recorder,
  now: () => number,
  isOwnPath: (target: string) => boolean,
): void {
  subscriptions.channel('http2.server.stream.start', (message) => {
    const stream = read(message, 'stream');
    const headers = read(message, 'headers');
    if (typeof stream !== 'object' || stream === null || typeof headers !== 'object' || headers === null)
      return;
    const exchange = new HandExchange(requestOf(headers), now(), () => read(stream, 'headersSent') === true);
    const once = read(stream, 'once');
    if (typeof once !== 'function' || isOwnPath(exchange.target)) return;
    const startedAt = performance.now();
    const scope = scopes.enter(new Unit('request', exchange));
    const onClose = subscriptions.guarded(() => {
      const sent = read(stream, 'sentHeaders');
      const status = read(sent, ':status');
      const error = read(stream, 'errored') ?? null;
      const isSent = typeof status === 'number' && read(stream, 'aborted') !== true && error === null;
      recorder.finishRequest(scope, {
        status: isSent ? status : null,
        headers: isSent ? Object.fromEntries(Object.entries(Object(sent))) : null,
        error,
        durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
      });
    });
    Reflect.apply(once, stream, ['close', onClose]);
  });
}
