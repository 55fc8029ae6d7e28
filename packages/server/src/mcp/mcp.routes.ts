import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidQuery } from '../platform/http/binding/invalid-query.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import { bytesOf, readManagementBody } from '../platform/http/binding/request-body.ts';
import { createBudget } from '../platform/http/limits/budget.ts';
import { clientKey } from '../platform/http/limits/client-key.ts';
import { withDeadline } from '../platform/http/limits/deadline.ts';
import { type HttpServer, sendProblem } from '../platform/http/server/http-server.ts';
import { isLoopbackHost } from '../platform/loopback-url.ts';
import type { Runtime } from '../runtime.ts';
import { authenticateMember, type TokenCaller } from '../workspace/tokens/authenticate-member.ts';

/**
 * The limits of messages that are answered at the same time, in all and for one token; further ones are refused and
 * should be sent again.
 */
const CALLS_MAX = 32;
const CALLS_OF_TOKEN_MAX = 8;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * `POST /mcp` (docs/contract/command-line.md 5.10): the tools of `culprit mcp` for agents that start no program. It
 * keeps nothing between requests. What serves it is loaded with the first of them.
 * @param appOrigins of pages that may ask
 */
export function bindMcpRoute(
  server: HttpServer,
  runtime: Runtime,
  { appOrigins }: { appOrigins: ReadonlySet<string> },
): void {
  const { mcp: mode, database, oidc, baseUrl } = runtime;
  if (mode === 'off') return;
  const calls = createBudget(
    { requestsMax: CALLS_MAX, bytesMax: Number.POSITIVE_INFINITY },
    ({ own }) => own <= CALLS_OF_TOKEN_MAX,
  );
  const load = createServing(server, runtime);

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (request.method !== 'POST') {
      return sendProblem(reply.header('allow', 'POST'), new Problem('not_found', { status: 405 }));
    }
    const { headers } = request;
    if (!isOwnHost(headers.host, baseUrl)) throw new Problem('forbidden');
    const { origin } = headers;
    if (origin !== undefined && !appOrigins.has(origin)) throw new Problem('origin_not_allowed');
    const claim = server.load.management.open(clientKey(request.exchange.clientAddress));
    request.exchange.claim = claim;
    if (!claim.enter()) throw new Problem('service_unavailable');
    const caller = await withDeadline(
      authenticateMember(database, headers, oidc?.tokenStaleness ?? null),
      server.limits.operationTimeoutMs,
    );
    if (caller === null) throw new Problem('invalid_member_token');
    // The client decides how long its body takes, and what its calls do takes slots of their own.
    claim.exit();
    const wantsChanges = wantsChangesBy(request.query);
    const body = bytesOf(await readManagementBody(server, request, claim));
    const call = calls.open(caller.tokenId);
    try {
      if (!call.enter()) throw new Problem('service_unavailable');
      const mayChange = mode === 'write' && wantsChanges && caller.access === 'full';
      const answer = await answerTo(request, { body, caller, mayChange });
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    } finally {
      call.close();
    }
  }

  async function answerTo(
    request: FastifyRequest,
    { body, caller, mayChange }: { body: Buffer; caller: TokenCaller; mayChange: boolean },
  ) {
    const { serve } = await load();
    return await withDeadline(
      serve({
        body,
        headers: { ...request.headers, 'content-type': request.exchange.contentType },
        clientAddress: request.exchange.clientAddress,
        tokenId: caller.tokenId,
        mayChange,
      }),
      server.limits.operationTimeoutMs,
      (timeout) => (mayChange ? new Problem('outcome_unknown') : timeout),
    );
  }

  server.app.route({
    method: METHODS,
    url: '/mcp',
    config: { access: 'member', takesSlot: true },
    handler,
  });
}

/** Loads what speaks the protocol when it is first asked for: most installations never do. */
function createServing(server: HttpServer, runtime: Runtime) {
  let loaded: Promise<{ serve: ReturnType<typeof import('./serve-mcp.ts').createMcpService> }> | null = null;
  return () => {
    loaded ??= import('./serve-mcp.ts').then(({ createMcpService }) => ({
      serve: createMcpService({ server, version: runtime.version }),
    }));
    return loaded;
  };
}

/** A page that reached this server under another name would send that name. */
function isOwnHost(host: string | undefined, baseUrl: string): boolean {
  const asked = `http://${host ?? ''}`;
  if (!URL.canParse(asked)) return false;
  return isLoopbackHost(new URL(asked).hostname) || host?.toLowerCase() === new URL(baseUrl).host;
}

/** Returns true if the address requests the tools that change something. */
function wantsChangesBy(query: unknown): boolean {
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : '';
  if (text === '') return false;
  if (text === 'writes=on') return true;
  throw invalidQuery('writes', 'must be on, and is the only parameter');
}
