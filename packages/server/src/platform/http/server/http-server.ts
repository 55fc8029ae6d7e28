import { randomUUID } from 'node:crypto';
import type { Auth } from '@culprit/contract/endpoints/endpoint';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { errorFields } from '../../error-fields.ts';
import { addressMatcher } from '../binding/address-matcher.ts';
import { Problem, problemHeaders } from '../binding/problem.ts';
import type { Claim } from '../limits/budget.ts';
import { clientKey } from '../limits/client-key.ts';
import { HTTP_LIMITS, type HttpLimits } from '../limits/http-limits.ts';
import { type LoadLimits, startLoadLimits } from '../limits/load-limits.ts';
import { clientAddress } from './client-address.ts';
import { type CorsPolicy, corsHeaders, preflightHeaders } from './cors.ts';
import { discardBody, hasUnreadBody } from './discard-body.ts';
import { createNodeServer } from './node-server.ts';
import { combineAuthorizations, decodableTarget, takeContentType, valuesOf } from './request-head.ts';

export interface HttpServerOptions {
  log: Logger;
  limits?: Partial<HttpLimits>;
  /** Peers whose `X-Forwarded-For` is believed (docs/contract/account.md 2.8): addresses or ranges. */
  trustedProxies?: readonly string[];
  /** Origins of the dashboard: credentials allowed (docs/contract/account.md 2.7). */
  appOrigins?: readonly string[];
  /** The public address is https, so browsers are instructed to use only https. */
  isHttps?: boolean;
  /** That holds for all hosts below this one too. */
  hstsIncludesSubdomains?: boolean;
  /** Returns true if an error means that database or object store cannot be reached: 503 instead of 500. */
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

type Phase = 'serving' | 'draining' | 'closing';

/** Probes are exempt: an overloaded process is still alive. */
export type BudgetName = 'ingestion' | 'management' | 'uploads' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of caller that is allowed. A route without it does not start. */
    access?: Auth;
    budget?: BudgetName;
    /**
     * The handler claims what it uses, because it may first have to wait for a body. Otherwise the route takes a slot
     * immediately.
     */
    takesSlot?: boolean;
    cors?: CorsPolicy;
  }
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** The state of a request while it is answered. */
interface Exchange {
  /** The peer, or the client that a trusted proxy names. The framework's own `ip` is the peer alone. */
  clientAddress: string;
  /** The raw header; hidden from the framework, which would refuse a malformed one before the credential is checked. */
  contentType: string | undefined;
  /** The pattern of the route, null when there is none. */
  route: string | null;
  isProbe: boolean;
  /** The request's use of its budget, until its answer is passed to the connection. */
  claim: Claim | null;
  bodyBytes: number;
  /** Memory that the answer keeps until it is fetched; null when its length says it. */
  answerBytes: number | null;
  /** The answer is generated while it is sent, so its work has not ended when it is passed on. */
  isAnswerWork: boolean;
  startedAtMs: number;
  /** Returns true if a request that changes something may have done so, although its answer reports a failure. */
  mayHaveChanged: () => boolean;
}

/** Long enough for every target the header limit lets through, so that ids are judged by the contract's rule. */
const PATH_PARAMETER_LENGTH_MAX = 16 * 1024;

/** Makes the server, without routes and not listening yet. Every answer that is no success is `{ "error": code }`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const load = startLoadLimits(limits);
  const appOrigins = new Set(options.appOrigins ?? []);
  const fixedHeaders = securityHeaders(options);
  const isProxy = addressMatcher(options.trustedProxies ?? []);
  let phase: Phase = 'serving';

  const app = Fastify({
    serverFactory: (handler) => createNodeServer(limits, handler, isProxy),
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
    combineAuthorizations(request.raw);
    const budgetName = config.budget ?? 'management';
    request.exchange = {
      clientAddress: clientAddress(request.raw.socket.remoteAddress, request.headers, isProxy),
      contentType: takeContentType(request.raw),
      route: url ?? null,
      isProbe: budgetName === 'none',
      claim: null,
      bodyBytes: 0,
      answerBytes: null,
      isAnswerWork: false,
      startedAtMs: performance.now(),
      mayHaveChanged: () => false,
    };
    reply.raw.once('close', () => {
      load.answers.remove(reply.raw);
      endExchange(log, request, reply);
    });
    reply.headers(fixedHeaders);
    reply.headers(corsHeaders(config.cors ?? 'app', request.headers.origin, appOrigins));
    reply.header('x-request-id', request.id);
    done(admit(request, budgetName) ?? undefined);
  });

  /** Refuses requests that no route should see. */
  function admit(request: FastifyRequest, budgetName: BudgetName): Problem | null {
    const { raw } = request;
    if (raw.rawHeaders.length > 2 * limits.headersMax)
      return new Problem('payload_too_large', { status: 431 });
    const isHttp1 =
      raw.httpVersion === '1.0' || (raw.httpVersion === '1.1' && raw.headers.host !== undefined);
    if (!isHttp1) return new Problem('invalid_payload', { reason: 'Host: is missing' });
    if (valuesOf(raw, 'host').length > 1)
      return new Problem('invalid_payload', { reason: 'Host: must not be repeated' });
    if (budgetName === 'none') return null;
    // Foreign clients send nothing a second time, so theirs wait for a place instead.
    const isLate = request.routeOptions.config.cors !== 'foreign' && load.isLoopLate();
    if (phase === 'closing' || isLate) return new Problem('service_unavailable');
    if (request.routeOptions.config.takesSlot === true) return null;
    const claim = load[budgetName].open(clientKey(request.exchange.clientAddress));
    request.exchange.claim = claim;
    return claim.enter() ? null : new Problem('service_unavailable');
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const { exchange } = request;
    // From here on only the client decides how long it takes.
    if (!exchange.isAnswerWork) exchange.claim?.close();
    if (!reply.raw.destroyed) load.answers.add(reply.raw, exchange.answerBytes ?? sizeOf(payload));
    // A client that keeps its connection would not notice the end of the service. After an upgrade that was not taken,
    // Node's parser reads nothing more from the connection.
    if (phase !== 'serving' || request.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (hasUnreadBody(request.raw)) {
      const sender = `refused ${clientKey(request.exchange.clientAddress)}`;
      discardBody(request.raw, { bytesMax: limits.discardBytesMax, loop: load.loop, sender });
    }
    done();
  });

  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new Problem('not_found')));

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Problem) return sendProblem(reply, error);
    if (request.is404) return sendProblem(reply, new Problem('not_found'));
    if (options.isOutage?.(error) === true) {
      log.warn(
        { requestId: request.id, ...errorFields(error) },
        'request failed because a dependency was unavailable',
      );
      const code = request.exchange.mayHaveChanged() ? 'outcome_unknown' : 'service_unavailable';
      return sendProblem(reply, new Problem(code));
    }
    log.error({ requestId: request.id, ...errorFields(error) }, 'request failed unexpectedly');
    return sendProblem(reply, new Problem('internal_error'));
  });

  // Exporters post where members read.
  app.options('/v1/logs', { config: { access: 'public', cors: 'app', budget: 'none' } }, (request, reply) => {
    const policy = request.headers['access-control-request-method'] === 'POST' ? 'foreign' : 'app';
    reply.headers(corsHeaders(policy, request.headers.origin, appOrigins));
    return answerPreflight(policy, request, reply);
  });

  for (const [path, policy] of [
    ['/v1/events', 'events'],
    ['/v1/sdk/config', 'client_config'],
    ['/api/*', 'foreign'],
    ['/v1/traces', 'foreign'],
    ['/v1/metrics', 'foreign'],
    ['/v1/reports', 'foreign'],
    ['/v1/*', 'app'],
  ] as const) {
    app.options(path, { config: { access: 'public', cors: policy, budget: 'none' } }, (request, reply) =>
      answerPreflight(policy, request, reply),
    );
  }

  function answerPreflight(policy: CorsPolicy, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { origin } = request.headers;
    if (policy === 'app' && origin === undefined) return sendProblem(reply, new Problem('not_found'));
    const headers = preflightHeaders(policy, origin, appOrigins);
    if (headers === null) return sendProblem(reply, new Problem('origin_not_allowed'));
    return reply.code(204).headers(headers).send();
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

function securityHeaders({ isHttps, hstsIncludesSubdomains }: HttpServerOptions): Record<string, string> {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
  if (isHttps === true) {
    headers['strict-transport-security'] =
      hstsIncludesSubdomains === true ? 'max-age=31536000; includeSubDomains' : 'max-age=31536000';
  }
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

/** Returns the size of a payload in its final form; a stream reports its own. */
function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
}

/** One line per request, with listed fields only: no header, no body, no query. */
function endExchange(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { exchange } = request;
  exchange.claim?.close();
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
  if (!reply.raw.writableFinished) log.info(fields, 'connection closed before the response was complete');
  else if (exchange.isProbe) log.debug(fields, 'request answered');
  else if (status === 500) log.error(fields, 'request answered');
  else log.info(fields, 'request answered');
}
