import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEntityTag } from '../../platform/http/binding/entity-tag.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { formOf } from '../../platform/http/dashboard/dashboard-files.ts';
import { type HttpServer, sendProblem } from '../../platform/http/server/http-server.ts';
import type { HandedOutFile, PackedFiles } from './packed-files.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const READING = ['GET', 'HEAD'];
const ADDRESSES = ['/npm', '/npm/*', '/script', '/script/*', '/llms.txt', '/setup', '/setup/*'];
/** It prints a line when there is a newer release. */
const COMMAND_LINE = 'culprit-cli/';
/** A build takes about as long. */
const UNBUILT_RETRY_S = 2;

/**
 * Hands out the packages (docs/contract/packages.md 1) without a token, from memory.
 * @param packed null until they are built
 */
export function bindPackageRoutes(server: HttpServer, packed: () => PackedFiles | null): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!READING.includes(request.method)) {
      return sendProblem(
        reply.header('allow', READING.join(', ')),
        new Problem('not_found', { status: 405 }),
      );
    }
    const found = packed();
    if (found === null) {
      return sendProblem(reply, new Problem('service_unavailable', { retryAfterSeconds: UNBUILT_RETRY_S }));
    }
    const file = found.files.get(request.raw.url?.split('?', 1)[0] ?? '');
    if (file === undefined) return sendProblem(reply, new Problem('not_found'));
    return await sendFile(request, reply, file);
  };
  server.app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.headers['user-agent']?.startsWith(COMMAND_LINE) === true) {
      const version = packed()?.description.version;
      if (version !== undefined) reply.header('x-service-packages', version);
    }
    done();
  });
  for (const url of ADDRESSES) {
    server.app.route({ method: METHODS, url, config: { access: 'public' }, handler });
  }
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: HandedOutFile,
): Promise<FastifyReply> {
  const { content, encoding } = await formOf(file, request.headers['accept-encoding']);
  const etag = encoding === null ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
  reply.header('content-type', file.type).header('cache-control', file.cacheControl).header('etag', etag);
  if (file.isForPages) {
    reply
      .header('access-control-allow-origin', '*')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('vary', 'Accept-Encoding');
  }
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(content);
}
