import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Auth } from '@culprit/contract/endpoint';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type CorsPolicy, corsHeaders, preflightHeaders } from './cors.ts';
import { HTTP_LIMITS, type HttpLimits } from './http-limits.ts';
import { type Budget, type LoadLimits, startLoadLimits } from './load-limits.ts';
import { createNodeServer } from './node-server.ts';
import { Problem, problemHeaders } from './problem.ts';

export interface HttpServerOptions {
  log: Logger;
  limits?: Partial<HttpLimits>;
  /** Peers whose `X-Forwarded-For` is believed (account.md 2.8): addresses or ranges. */
  trustedProxies?: readonly string[];
  /** Origins of the dashboard: credentials allowed (account.md 2.7). */
  appOrigins?: readonly string[];
  /** The public address is https, so browsers are told to stay there. */
  isHttps?: boolean;
  /** Whether an error means that database or object store cannot be reached: 503 instead of 500. */
  isOutage?: (error: unknown) => boolean;
}

export interface HttpServer {
  /** For routes outside the contract: static pages. Each needs `config.access`. */
  readonly app: FastifyInstance;
  readonly limits: HttpLimits;
  readonly load: LoadLimits;
  readonly log: Logger;
  /** `serving`; `draining`: not ready, but every request is still served; `closing`: new requests are refused. */
  phase(): Phase;
  setPhase(phase: Phase): void;
  /** Opens the port (0 picks one) and gives the address, such as `http://127.0.0.1:4800`. */
  listen(address: { host: string; port: number }): Promise<string>;
}

export type Phase = 'serving' | 'draining' | 'closing';

/** Probes are exempt: an overloaded process is still alive. */
export type BudgetName = 'ingestion' | 'management' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call. A route without it does not start. */
    access?: Auth;
    budget?: BudgetName;
    cors?: CorsPolicy;
  }
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** What is remembered of a request while it is answered. */
export interface Exchange {
  /** As sent; hidden from the framework, which would refuse a malformed one before the credential is looked at. */
  contentType: string | undefined;
  /** The pattern of the route, null when there is none. */
  route: string | null;
  isProbe: boolean;
  budget: Budget | null;
  bodyBytes: number;
  /** What the budget gets back: body bytes, and room taken for what they become. */
  heldBytes: number;
  startedAtMs: number;
}

/** Long enough for every target the header limit lets through, so that ids are judged by the contract's rule. */
const PATH_PARAMETER_LENGTH_MAX = 16 * 1024;

/** Makes the server, without routes and not listening yet. Every answer that is no success is `{ "error": code }`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const load = startLoadLimits(limits);
  const appOrigins = new Set(options.appOrigins ?? []);
  const fixedHeaders = securityHeaders(options.isHttps === true);
  let phase: Phase = 'serving';

  const app = Fastify({
    serverFactory: (handler) => createNodeServer(limits, handler),
    // The bare server answers broken connections already.
    clientErrorHandler: () => {},
    frameworkErrors: (_error, _request, reply) => {
      void sendProblem(reply, new Problem('not_found'));
    },
    genReqId: () => `req_${randomUUID()}`,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    rewriteUrl: (request) => decodableTarget(request.url ?? '/'),
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    routerOptions: {
      maxParamLength: PATH_PARAMETER_LENGTH_MAX,
      // Kept as text: the binder reads it by the contract's rules.
      querystringParser: (text) => ({ text }),
    },
  });

  // Bodies are read by the binder, at their place in the order of checks.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) {
      throw new Error(`route ${String(route.method)} ${route.url} does not say who may call it`);
    }
  });

  app.decorateRequest('exchange');
  app.addHook('onRequest', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    const budgetName = config.budget ?? 'management';
    request.exchange = {
      contentType: takeContentType(request.raw),
      route: url ?? null,
      isProbe: budgetName === 'none',
      budget: null,
      bodyBytes: 0,
      heldBytes: 0,
      startedAtMs: performance.now(),
    };
    reply.raw.once('close', () => endExchange(log, request, reply));
    reply.headers(fixedHeaders);
    reply.headers(corsHeaders(config.cors ?? 'app', request.headers.origin, appOrigins));
    reply.header('x-request-id', request.id);
    done(admit(request, budgetName) ?? undefined);
  });

  /** What is refused before any route looks at the request. */
  function admit(request: FastifyRequest, budgetName: BudgetName): Problem | null {
    const { raw } = request;
    if (raw.rawHeaders.length > 2 * limits.headersMax)
      return new Problem('payload_too_large', { status: 431 });
    const isHttp1 =
      raw.httpVersion === '1.0' || (raw.httpVersion === '1.1' && raw.headers.host !== undefined);
    if (!isHttp1) return new Problem('invalid_payload');
    if (budgetName === 'none') return null;
    if (phase === 'closing' || load.isLoopLate()) return new Problem('service_unavailable');
    const budget = load[budgetName];
    if (!budget.enter()) return new Problem('service_unavailable');
    request.exchange.budget = budget;
    return null;
  }

  app.addHook('onSend', (request, reply, _payload, done) => {
    // A client that keeps its connection would not notice the end of the service. After an upgrade that was not taken,
    // Node's parser reads nothing more from the connection.
    if (phase !== 'serving' || request.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (hasUnreadBody(request.raw)) discardBody(request.raw, limits.discardBytesMax);
    done();
  });

  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new Problem('not_found')));

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Problem) return sendProblem(reply, error);
    if (request.is404) return sendProblem(reply, new Problem('not_found'));
    if (options.isOutage?.(error) === true) {
      log.warn({ requestId: request.id, ...errorFields(error) }, 'request met an outage');
      return sendProblem(reply, new Problem('service_unavailable'));
    }
    log.error({ requestId: request.id, ...errorFields(error) }, 'request failed unexpectedly');
    return sendProblem(reply, new Problem('internal_error'));
  });

  for (const [path, policy] of [
    ['/v1/events', 'ingestion'],
    ['/v1/sdk/config', 'ingestion'],
    ['/v1/*', 'app'],
  ] as const) {
    app.options(path, { config: { access: 'public', cors: policy, budget: 'none' } }, (request, reply) => {
      const { origin } = request.headers;
      if (policy === 'app' && origin === undefined) return sendProblem(reply, new Problem('not_found'));
      const headers = preflightHeaders(policy, origin, appOrigins);
      if (headers === null) return sendProblem(reply, new Problem('origin_not_allowed'));
      return reply.code(204).headers(headers).send();
    });
  }

  app.addHook('onClose', async () => load.stop());

  return {
    app,
    limits,
    load,
    log,
    phase: () => phase,
    setPhase(next) {
      phase = next;
    },
    listen: ({ host, port }) => app.listen({ host, port }),
  };
}

/**
 * An escape that does not decode would end in the router, before the credential. Escaped once more it reaches the
 * route as the text it is, and fails there as a malformed id.
 */
function decodableTarget(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (!path.includes('%')) return target;
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return path.replaceAll('%', '%25') + target.slice(path.length);
  }
}

function takeContentType(request: IncomingMessage): string | undefined {
  const contentType = request.headers['content-type'];
  if (contentType !== undefined) request.headers['content-type'] = undefined;
  return contentType;
}

function securityHeaders(isHttps: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
  if (isHttps) headers['strict-transport-security'] = 'max-age=31536000';
  return headers;
}

/** Answers with the code of the problem and nothing else. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problemHeaders(problem))
    .header('content-type', JSON_TYPE)
    .send(`{"error":"${problem.code}"}`);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const declared = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (declared !== undefined && declared !== '0');
}

/**
 * Reads on after an early answer, so that a client that is still sending gets to read it and the connection stays in
 * step; past the limit the connection is cut. Where the connection is to be closed after the answer, only our half is
 * closed at first: a full close would reset the client while it sends, and take the answer with it.
 */
function discardBody(request: IncomingMessage, bytesMax: number): void {
  const { socket } = request;
  let bytesLeft = bytesMax;
  request.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) socket.destroy();
  });
  request.resume();

  socket.destroySoon = () => {
    socket.end();
    request.once('end', () => socket.destroySoon());
    setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS).unref();
  };
  // From the end of the body on, closing is what it always was.
  request.once('end', () => Reflect.deleteProperty(socket, 'destroySoon'));
}

/** How long a client that is refused may go on sending. */
const LINGER_TIMEOUT_MS = 2000;

/** One line per request, with listed fields only: no header, no body, no query. */
function endExchange(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { exchange } = request;
  if (exchange.budget !== null) {
    exchange.budget.giveBytes(exchange.heldBytes);
    exchange.budget.leave();
  }
  const status = reply.raw.statusCode;
  const fields = {
    requestId: request.id,
    method: request.method,
    route: exchange.route,
    status: reply.raw.headersSent ? status : null,
    durationMs: Math.round((performance.now() - exchange.startedAtMs) * 10) / 10,
    bodyBytes: exchange.bodyBytes,
    answerBytes: Number(reply.getHeader('content-length') ?? 0),
  };
  if (!reply.raw.writableFinished) log.info(fields, 'request broken off');
  else if (exchange.isProbe) log.debug(fields, 'request answered');
  else if (status === 500) log.error(fields, 'request answered');
  else log.info(fields, 'request answered');
}

/** An error's own words only; what a driver hangs onto it may be data. */
function errorFields(error: unknown): Record<string, string | undefined> {
  if (!(error instanceof Error)) return { errorMessage: String(error) };
  return { errorName: error.name, errorMessage: error.message, stack: error.stack };
}
