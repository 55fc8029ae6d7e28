import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Exchange, ServerCapture } from '../capture/server-capture.ts';
import { dependencyStates } from './dependency-states.ts';
import { PaymentError } from './payment-client.ts';
import { type Answer, json, type Route } from './routes.ts';

const SESSION_COOKIE = /(?:^|;\s*)sid=([\w-]{1,64})/;

/** The shop's HTTP server. Each failing request is captured once: as an exception, or as a failed request. */
export async function startShopServer(
  routes: readonly Route[],
  capture: ServerCapture,
  port: number,
): Promise<Server> {
  const server = createServer((request, response) => {
    const ids = {
      requestId: headerOf(request, 'x-request-id') ?? randomUUID(),
      traceId: headerOf(request, 'x-service-trace-id'),
      sessionId: SESSION_COOKIE.exec(request.headers.cookie ?? '')?.[1] ?? null,
    };
    void capture.withRequest(ids, () => handle(request, response, routes, capture));
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  routes: readonly Route[],
  capture: ServerCapture,
): Promise<void> {
  const begin = performance.now();
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
  const bodyText = await text(request);
  const found = findRoute(routes, request.method ?? 'GET', url.pathname);
  let failure: { error: unknown } | null = null;
  let answer = json(404, { error: 'not found' });
  try {
    if (found !== null) {
      answer = await found.route.answer({ params: found.params, query: url.searchParams, bodyText });
    }
  } catch (error) {
    failure = { error };
    answer = json(500, { error: 'something went wrong' });
  }
  send(request, response, answer);

  const exchange: Exchange = {
    method: request.method ?? 'GET',
    url: url.href,
    routeTemplate: found?.route.template ?? null,
    requestHeaders: request.headers,
    requestBody: bodyText === '' ? null : readJson(bodyText),
    status: answer.status,
    responseHeaders: { 'content-type': answer.contentType },
    responseBody: answer.body,
    durationMs: Math.round(performance.now() - begin),
  };
  if (failure === null) capture.request(exchange);
  else capture.exception(failure.error, exchange, failureContext(failure.error, exchange));
}

function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | null {
  const parts = path.split('/');
  for (const route of routes) {
    const names = route.template.split('/');
    const isSame =
      route.method === method &&
      names.length === parts.length &&
      names.every((name, index) => name.startsWith(':') || name === parts[index]);
    if (!isSame) continue;
    const values = names.flatMap((name, index) =>
      name.startsWith(':') ? [[name.slice(1), parts[index] ?? '']] : [],
    );
    return { route, params: Object.fromEntries(values) };
  }
  return null;
}

/** What the shop knows besides: who bought, how its neighbours are, and that lost payments are worse than the rest. */
function failureContext(error: unknown, { requestBody }: Exchange): object {
  return {
    dependencies: dependencyStates(),
    ...(error instanceof PaymentError ? { severity: 'critical' } : {}),
    ...userOf(requestBody),
  };
}

function userOf(body: unknown): object {
  if (typeof body !== 'object' || body === null || !('customer' in body)) return {};
  const { customer } = body;
  if (typeof customer !== 'object' || customer === null || !('email' in customer)) return {};
  return { user: { id: customer.email } };
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const isNewVisitor = !SESSION_COOKIE.test(request.headers.cookie ?? '');
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    ...(isNewVisitor ? { 'set-cookie': `sid=${randomUUID()}; Path=/; HttpOnly` } : {}),
  });
  response.end(body);
}

function readJson(bodyText: string): unknown {
  try {
    return JSON.parse(bodyText);
  } catch {
    return bodyText;
  }
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
