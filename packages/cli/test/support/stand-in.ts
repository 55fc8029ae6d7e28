import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** A server of HTTP on this machine that stands for something that is no Culprit of this release. */
export interface StandIn {
  url: string;
  /** Method and path of each request that came. */
  requests: string[];
  stop(): Promise<void>;
}

/** Answers everything in one way. @param port zero takes any */
export async function startStandIn(answer: RequestListener, port = 0): Promise<StandIn> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${(request.url ?? '').split('?')[0]}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** How another release differs from the service behind it. */
interface OtherRelease {
  /** The code with which it refuses what it does not know; null passes the request on. */
  refusal?: (method: string, url: URL) => 'not_found' | 'invalid_query' | null;
  /** What it makes of an answer. */
  changed?: (url: URL, body: JsonObject) => JsonObject;
  version?: string;
  /** Whether the connection is lost before an answer. */
  isLost?: (url: URL) => boolean;
  /** Where it listens; without it anywhere. */
  port?: number;
}

/** A real service as another release of it would answer: this passes everything on but what differs. */
export async function startOtherRelease(serviceUrl: string, release: OtherRelease): Promise<StandIn> {
  return await startStandIn((request, response) => {
    passOn(serviceUrl, release, request, response).catch(() => response.destroy());
  }, release.port);
}

async function passOn(
  serviceUrl: string,
  { refusal, changed, version, isLost }: OtherRelease,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  const { method = 'GET' } = request;
  const asked = new URL(request.url ?? '/', serviceUrl);
  const url = new URL(`${asked.pathname}${asked.search}`, serviceUrl);
  if (isLost?.(url) === true) return void response.destroy();
  if (url.pathname === '/health' && version !== undefined) {
    return answerJson(response, 200, { status: 'ok', version });
  }
  const code = refusal?.(method, url) ?? null;
  if (code !== null) return answerJson(response, code === 'not_found' ? 404 : 400, { error: code });
  const { authorization, 'content-type': contentType, origin } = request.headers;
  const answer = await fetch(url, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(origin === undefined ? {} : { origin }),
    },
    ...(body.length === 0 ? {} : { body }),
  });
  const text = await answer.text();
  const parsed: unknown = text === '' ? null : JSON.parse(text);
  const isObject = isJsonObject(parsed);
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(isObject && changed !== undefined ? JSON.stringify(changed(url, parsed)) : text);
}
