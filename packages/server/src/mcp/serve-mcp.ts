import type { IncomingHttpHeaders } from 'node:http';
import { type CallResult, createClient, type InputArguments } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { createMcpServer } from '@culprit/mcp/mcp-server';
import type { ServiceCalls } from '@culprit/mcp/service/service-calls';
import { serviceSource } from '@culprit/mcp/service/service-source';
import { createChangeLimits } from '@culprit/mcp/tools/change-tools';
import { TOKENS_DEFAULT } from '@culprit/mcp/tools/tool-table';
import { refusal } from '@culprit/mcp/words/refusal';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { errorFields } from '../platform/error-fields.ts';
import type { HttpServer } from '../platform/http/server/http-server.ts';
import { requestInProcess } from '../platform/http/server/in-process-request.ts';

/** A request whose caller is known. */
interface McpRequest {
  body: Buffer;
  headers: IncomingHttpHeaders;
  clientAddress: string;
  tokenId: string;
  mayChange: boolean;
}

interface McpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Messages in one body, which the oldest revisions allow; each may be a call. */
const BATCH_MAX = 8;
/** The headers that the protocol requires; nothing else of the request is passed on. */
const PASSED_HEADERS = /^(?:accept|content-type|mcp-[a-z-]{1,60})$/;

/** Answers messages of the Model Context Protocol, in all of its revisions, with the rights of the bearer. */
export function createMcpService({
  server,
  version,
}: {
  server: HttpServer;
  version: string;
}): (request: McpRequest) => Promise<McpAnswer> {
  const changeLimits = createChangeLimits();
  const onDefect = (error: unknown) => server.log.error(errorFields(error), 'a tool failed unexpectedly');

  function toolsFor({ headers, clientAddress, tokenId, mayChange }: McpRequest): McpServer {
    const calls = callsOf(server, headers.authorization ?? '', clientAddress);
    const sources = {
      server: serviceSource(calls),
      local: null,
      project: null,
      tokensDefault: TOKENS_DEFAULT,
    };
    return createMcpServer({
      version,
      sources: async () => sources,
      changeLimit: mayChange ? changeLimits(tokenId) : null,
      onDefect,
    });
  }

  return async (asked) => {
    const message = parsed(asked.body);
    if (Array.isArray(message) && message.length > BATCH_MAX) return rpcError(400, -32_600, null);
    // Nothing here changes between requests, so there is nothing to subscribe to.
    if (isRequest(message, 'subscriptions/listen')) return rpcError(404, -32_601, message.id ?? null);
    const request = webRequest(asked);
    const answer = (await isLegacyRequest(request))
      ? await answerLegacy(toolsFor(asked), request)
      : await createMcpHandler(() => toolsFor(asked), { legacy: 'reject' }).fetch(request);
    const type = answer.headers.get('content-type');
    return {
      status: answer.status,
      headers: type === null ? {} : { 'content-type': type },
      body: await answer.text(),
    };
  };
}

/** Revisions before 2026-07-28, without a session and with an answer in JSON. */
async function answerLegacy(mcp: McpServer, request: Request): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await mcp.connect(transport);
  try {
    return await transport.handleRequest(request);
  } finally {
    await mcp.close();
  }
}

/** Endpoints of the own server, over every check that they have, with the bearer's token. */
function callsOf(server: HttpServer, authorization: string, clientAddress: string): ServiceCalls {
  const client = createClient({
    baseUrl: '',
    token: null,
    headers: { authorization },
    fetch: (target, { method, headers, body }) =>
      requestInProcess(server.app.server, {
        method,
        target,
        headers,
        body,
        clientAddress,
        timeoutMs: server.limits.operationTimeoutMs,
      }),
  });
  return {
    async call<E extends Endpoint>(endpoint: E, ...input: InputArguments<E>) {
      const result: CallResult<E> = await client.call(endpoint, ...input);
      if (isFailed(result)) throw refusal(result);
      return result.body;
    },
  };
}

function isFailed<E extends Endpoint>(
  result: CallResult<E>,
): result is Extract<CallResult<E>, { ok: false }> {
  return !result.ok;
}

function webRequest({ body, headers }: McpRequest): Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    PASSED_HEADERS.test(name) && typeof value === 'string' ? [[name, value]] : [],
  );
  return new Request('http://localhost/mcp', { method: 'POST', headers: passed, body: new Uint8Array(body) });
}

function parsed(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return value;
  } catch {
    // The implementation of the protocol refuses it with the protocol's own error.
    return undefined;
  }
}

function isRequest(message: unknown, method: string): message is { id?: unknown } {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === method;
}

function rpcError(status: number, code: number, id: unknown): McpAnswer {
  const message = code === -32_600 ? `At most ${BATCH_MAX} messages in one body` : 'Method not found';
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }),
  };
}
