import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { captureException, currentScope, setUser } from '@culprit/node';
import { relayHandler } from '@culprit/node/http';
import { PaymentError } from './payment-client.ts';
import { type Answer, json, type Route } from './routes.ts';

const SESSION_COOKIE = /(?:^|;\s*)sid=[\w-]{1,64}/;

/** The shop's HTTP server, which also takes what its own pages report. */
export async function startShopServer(routes: readonly Route[], port: number): Promise<Server> {
  const relay = relayHandler();
  const server = createServer((request, response) => {
    if (!relay(request, response)) void handle(request, response, routes);
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  routes: readonly Route[],
): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
  const bodyText = await text(request);
  const found = findRoute(routes, request.method ?? 'GET', url.pathname);
  if (found !== null) describeRequest(found.route, bodyText);
  let answer = json(404, { error: 'not found' });
  try {
    if (found !== null) {
      answer = await found.route.answer({ params: found.params, query: url.searchParams, bodyText });
    }
  } catch (error) {
    // Lost payments are worse than the rest.
    const severity = error instanceof PaymentError ? 'critical' : undefined;
    captureException(error, { handled: false, severity });
    answer = json(500, { error: 'something went wrong' });
  }
  if (answer.status >= 400) currentScope().setResponse({ body: answer.body });
  send(request, response, answer);
}

/** Adds what the library cannot see of a server without a framework: the route, the parsed body, and the user. */
function describeRequest({ template }: Route, bodyText: string): void {
  const body = bodyText === '' ? null : readJson(bodyText);
  const scope = currentScope();
  scope.setRoute(template);
  if (body !== null) scope.setRequestBody(body);
  setUser(userOf(body));
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

function userOf(body: unknown): { id: unknown } | null {
  if (typeof body !== 'object' || body === null || !('customer' in body)) return null;
  const { customer } = body;
  if (typeof customer !== 'object' || customer === null || !('email' in customer)) return null;
  return { id: customer.email };
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
