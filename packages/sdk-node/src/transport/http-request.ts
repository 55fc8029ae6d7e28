import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { ENVIRONMENT } from '../facts/environment.ts';
import { loadHttp, loadHttps } from '../load-builtin.ts';
import { createOpeningConnections, type OpeningConnections } from './opening-connections.ts';
import { findProxy, type HttpProxy } from './proxy.ts';
import { openTunnel } from './tunnel.ts';

/** One request of the library to ingestion. */
interface OwnRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | null;
  timeoutMs: number;
}

/** The answer, with header names in lower case. */
interface OwnAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const MAX_ANSWER_BYTES = 262_144;

/** Agents of the library: keep-alive, and their sockets never keep the process alive. */
export interface OwnAgents {
  send(request: OwnRequest): Promise<OwnAnswer>;
  /** Returns true if a request that a channel reports was sent here. */
  isOwn(request: ClientRequest): boolean;
  readonly opening: OpeningConnections;
  close(): void;
}

/**
 * Requests to ingestion over `node:http` and `node:https`, both loaded with the first request.
 * @param proxy as the option of `init` names it; null: what the environment says
 */
export function createOwnAgents(proxy: string | null = null): OwnAgents {
  const agents = new Map<string, Agent>();
  const opening = createOpeningConnections();

  function agentFor(protocol: string, through: HttpProxy | null): Agent {
    const key = `${protocol}${through === null ? '' : JSON.stringify(through)}`;
    const known = agents.get(key);
    if (known !== undefined) return known;
    const options = { keepAlive: true, maxSockets: 2, maxFreeSockets: 1 };
    const isSecure = protocol === 'https:';
    const agent = isSecure ? new (loadHttps().Agent)(options) : new (loadHttp().Agent)(options);
    if (isSecure && through !== null) {
      openTunnel(agent, through, agentFor(through.isSecure ? 'https:' : 'http:', null), opening);
    }
    agents.set(key, agent);
    return agent;
  }

  return {
    opening,
    send: (request) => {
      const through = findProxy(request.url, proxy, ENVIRONMENT);
      const url = new URL(request.url);
      const destination = destinationOf(url, through);
      const isTunnel = through !== null && url.protocol === 'https:';
      const agent = agentFor(destination.protocol ?? 'http:', isTunnel ? through : null);
      return sendRequest(request, { ...destination, agent }, opening);
    },
    isOwn: (request) => {
      const agent: unknown = Reflect.get(request, 'agent');
      return [...agents.values()].some((own) => own === agent);
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Returns the destination of a request: a proxy receives the whole address, unless there is a tunnel through it. */
function destinationOf(url: URL, through: HttpProxy | null): RequestOptions {
  const { protocol, hostname, port, pathname, search, host, href } = url;
  if (through === null || protocol === 'https:') {
    return { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path: `${pathname}${search}` };
  }
  const { authorization } = through;
  return {
    protocol: through.isSecure ? 'https:' : 'http:',
    hostname: through.host,
    port: through.port,
    path: href,
    headers: { Host: host, ...(authorization === null ? {} : { 'Proxy-Authorization': authorization }) },
  };
}

function sendRequest(
  request: OwnRequest,
  destination: RequestOptions,
  opening: OpeningConnections,
): Promise<OwnAnswer> {
  return new Promise((resolve, reject) => {
    const start = destination.protocol === 'https:' ? loadHttps().request : loadHttp().request;
    const headers: Record<string, unknown> = { ...destination.headers, ...request.headers };
    if (request.body !== null) headers['Content-Length'] = request.body.byteLength;
    const outgoing = start({ ...destination, method: request.method, headers: flat(headers) });
    const timer = setTimeout(() => {
      outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    }, request.timeoutMs);
    timer.unref();
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      settle();
    };
    outgoing.on('socket', (socket) => socket.unref());
    opening.watch(outgoing);
    outgoing.on('error', (error) => finish(() => reject(error)));
    outgoing.on('response', (response) => {
      readAnswer(response).then(
        (answer) => finish(() => resolve(answer)),
        (error: unknown) => finish(() => reject(error)),
      );
    });
    outgoing.end(request.body ?? undefined);
  });
}

function flat(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Reads at most what an acknowledgement can need; of a longer answer only the status counts. */
function readAnswer(response: IncomingMessage): Promise<OwnAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const answer = (body: string): OwnAnswer => ({
      status: response.statusCode ?? 0,
      headers: flatHeaders(response),
      body,
    });
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) {
        resolve(answer(''));
        response.destroy();
        return;
      }
      chunks.push(chunk);
    });
    response.on('end', () => resolve(answer(Buffer.concat(chunks).toString('utf8'))));
    response.on('error', reject);
    response.on('close', () => {
      if (!response.complete) reject(Object.assign(new Error('answer cut off'), { code: 'ECONNRESET' }));
    });
  });
}

function flatHeaders(response: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
