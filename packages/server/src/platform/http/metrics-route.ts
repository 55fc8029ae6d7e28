import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../loopback-url.ts';
import { METRICS_TYPE } from '../metrics/metrics.ts';
import type { Secret } from '../secret.ts';
import { type HttpServer, sendProblem } from './http-server.ts';
import { Problem } from './problem.ts';

const MAPPED_IPV4_PREFIX = /^::ffff:/i;
/** What proxies add; whoever comes through one is not on this machine, wherever the proxy is. */
const PROXY_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/**
 * `/metrics` for Prometheus: whoever asks on this machine, or brings the token, gets the page; anybody else 403. It
 * answers under load too.
 * @param options.token null: nobody else
 */
export function bindMetricsRoute(
  server: HttpServer,
  options: { token: Secret | null; page: () => Promise<string> },
): void {
  const { token, page } = options;
  server.app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    config: { access: 'public', budget: 'none' },
    async handler(request, reply) {
      if (!isLocal(request.raw) && !hasToken(request.raw, token)) {
        return sendProblem(reply, new Problem('forbidden'));
      }
      return reply.header('content-type', METRICS_TYPE).send(await page());
    },
  });
}

/** Asked on this machine under a name of this machine: a page that a browser here was lured to has another one. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const peer = socket.remoteAddress?.replace(MAPPED_IPV4_PREFIX, '') ?? '';
  const asked = `http://${headers.host ?? ''}`;
  return (
    isLoopbackHost(peer) &&
    URL.canParse(asked) &&
    isLoopbackHost(new URL(asked).hostname) &&
    PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}

function hasToken({ headers }: IncomingMessage, token: Secret | null): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token !== null && given !== undefined && timingSafeEqual(digest(given), digest(token.reveal()));
}

/** Digests have one length, so that the comparison tells nothing of the token's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
