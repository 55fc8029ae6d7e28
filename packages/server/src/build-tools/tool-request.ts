import type { FastifyReply, FastifyRequest } from 'fastify';
import { StatementCanceledError } from '../platform/db/database.ts';
import { errorFields } from '../platform/error-fields.ts';
import { Problem, problemHeaders } from '../platform/http/binding/problem.ts';
import { bytesOf, readManagementBody } from '../platform/http/binding/request-body.ts';
import { clientKey } from '../platform/http/limits/client-key.ts';
import { type HttpServer, JSON_TYPE } from '../platform/http/server/http-server.ts';
import { startRequestWork } from '../platform/http/server/request-work.ts';
import { OutageError } from '../platform/outage-error.ts';
import type { Runtime } from '../runtime.ts';
import { authenticateMember, type TokenCaller } from '../workspace/tokens/authenticate-member.ts';
import { mayTokenAsk } from '../workspace/tokens/token-access.ts';
import { ToolFault, wordsOf } from './tool-words.ts';

/** A request of a build tool, whose caller is known. */
export interface ToolRequest {
  caller: TokenCaller;
  params: Readonly<Record<string, string>>;
  headers: FastifyRequest['headers'];
  contentType: string | undefined;
  body: Buffer;
  /** For the trail of what was done. */
  origin: { log: HttpServer['log']; clientAddress: string };
}

interface ToolAnswer {
  status: number;
  body: object;
}

export interface ToolRoute {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  /** Absent: the limit of all requests with a small body. */
  bodyBytesMax?: number;
  answer: (request: ToolRequest) => Promise<ToolAnswer>;
}

/**
 * Binds one address of build tools, with and without a final slash, and answers each failure in words: the tools show
 * `detail`, and print the source of an answer that has more.
 */
export function bindToolRoute(server: HttpServer, { database, oidc }: Runtime, route: ToolRoute): void {
  const { method, path, bodyBytesMax } = route;
  const budget = bodyBytesMax === undefined ? 'management' : 'uploads';

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const claim = server.load[budget].open(clientKey(request.exchange.clientAddress));
    request.exchange.claim = claim;
    if (!claim.enter()) throw new Problem('service_unavailable');
    const changes = method !== 'GET';
    const work = startRequestWork(reply.raw, { changes, timeoutMs: server.limits.operationTimeoutMs });
    request.exchange.mayHaveChanged = work.mayHaveChanged;
    const caller = await work.authenticate(() =>
      authenticateMember(database, request.headers, oidc?.tokenStaleness ?? null),
    );
    if (caller === null) throw new Problem('invalid_member_token');
    if (!mayTokenAsk(caller, { changes, isOfBuild: true })) throw new Problem('forbidden');
    // The client decides how long its body takes.
    claim.exit();
    const options = bodyBytesMax === undefined ? {} : { bodyBytesMax };
    const body = changes
      ? bytesOf(await readManagementBody(server, request, claim, options))
      : Buffer.alloc(0);
    if (!claim.enter()) throw new Problem('service_unavailable');
    const params = request.params as Readonly<Record<string, string>>;
    // PostgreSQL keeps no NUL, so nothing has such a name.
    if (Object.values(params).some((value) => value.includes('\0'))) throw new ToolFault(NUL_IN_ADDRESS);
    const answer = await work.operate(() =>
      route.answer({
        ...{ caller, body, params, headers: request.headers, contentType: request.exchange.contentType },
        origin: { log: server.log, clientAddress: request.exchange.clientAddress },
      }),
    );
    return send(reply, answer.status, answer.body);
  }

  for (const url of [path, `${path}/`]) {
    server.app.route({
      ...{ method, url, handler },
      config: { access: 'member', budget, takesSlot: true },
      errorHandler: (error, request, reply) => refuse(server, error, request, reply),
    });
  }
}

const NUL_IN_ADDRESS = 'The address contains NUL.';

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body));
}

function refuse(
  server: HttpServer,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ToolFault) {
    return send(reply, 400, { detail: error.message });
  }
  if (error instanceof Problem) {
    reply.headers(problemHeaders(error));
    // The tools hide the text of a 404.
    const status = error.status === 404 ? 400 : error.status;
    return send(reply, status, { detail: wordsOf(error) });
  }
  const isOutage = error instanceof OutageError || error instanceof StatementCanceledError;
  const fields = { requestId: request.id, ...errorFields(error) };
  if (isOutage) server.log.warn(fields, 'request failed because a dependency was unavailable');
  else server.log.error(fields, 'request failed unexpectedly');
  const outage = request.exchange.mayHaveChanged() ? 'outcome_unknown' : 'service_unavailable';
  const problem = new Problem(isOutage ? outage : 'internal_error');
  reply.headers(problemHeaders(problem));
  return send(reply, problem.status, { detail: wordsOf(problem) });
}
