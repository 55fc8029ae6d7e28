import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { METRICS_TYPE } from '../../metrics/metrics.ts';
import type { Secret } from '../../secrets/secret.ts';
import { Problem } from '../binding/problem.ts';
import { type HttpServer, sendProblem } from './http-server.ts';
import { isLocalCaller } from './local-caller.ts';

/**
 * Serves `/metrics` for Prometheus: a request from this machine, or with the token, gets the page; any other gets 403.
 * It answers under load too.
 * @param options.token null: only requests from this machine
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
      if (
        !isLocalCaller(request.raw.socket.remoteAddress, request.headers) &&
        !hasToken(request.raw, token)
      ) {
        return sendProblem(reply, new Problem('forbidden'));
      }
      return reply.header('content-type', METRICS_TYPE).send(await page());
    },
  });
}

function hasToken({ headers }: IncomingMessage, token: Secret | null): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token !== null && given !== undefined && timingSafeEqual(digest(given), digest(token.reveal()));
}

/** Digests have one length, so that the comparison reveals nothing about the token's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
