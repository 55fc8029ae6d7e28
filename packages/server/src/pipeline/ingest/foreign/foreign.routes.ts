import type { FastifyReply, FastifyRequest } from 'fastify';
import { StatementCanceledError } from '../../../platform/db/database.ts';
import { errorFields } from '../../../platform/error-fields.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { readStreamedBody } from '../../../platform/http/binding/request-body.ts';
import { clientKey } from '../../../platform/http/limits/client-key.ts';
import { withDeadline } from '../../../platform/http/limits/deadline.ts';
import { type HttpServer, JSON_TYPE } from '../../../platform/http/server/http-server.ts';
import { OutageError } from '../../../platform/outage-error.ts';
import { type ForeignAnswer, refusalAnswer } from './foreign-answer.ts';
import type { ForeignIntake, ForeignRequest } from './foreign-intake.ts';
import { FOREIGN_STATUS, type ForeignProblem, refusal, UNAVAILABLE_NOW } from './foreign-refusal.ts';
import type { ForeignRoute, Refuse } from './foreign-route.ts';
import { bindOtlpRoutes } from './otlp/otlp.routes.ts';
import { bindReportRoutes } from './reports/reports.routes.ts';
import { acceptSentry } from './sentry/accept-sentry.ts';

const CONFIG = { access: 'project_token', budget: 'ingestion', takesSlot: true, cors: 'foreign' } as const;
/** Everything except the methods of a separate route. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The addresses of OpenTelemetry's gRPC services, and such as exporters with a wrong setting call. */
const NEAR_ADDRESSES = [
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  '/otlp/*',
  '/v1/otlp/*',
  '/v1/trace',
  '/v1/log',
  '/v1development/*',
] as const;

/** The addresses of clients that are not ours (docs/contract/foreign-protocols.md 3.1). */
export function bindForeignRoutes(
  server: HttpServer,
  intake: ForeignIntake,
  jobs: readonly ForeignRoute[],
): void {
  for (const route of jobs) bindForeign(server, ...route);
  for (const form of ['envelope', 'store'] as const) {
    bindForeign(server, `/api/:number/${form}`, (request, params) =>
      acceptSentry(request, intake, { form, number: params.number ?? '' }),
    );
  }
  bindOtlpRoutes((...route) => bindForeign(server, ...route), intake);
  bindReportRoutes((...route) => bindForeign(server, ...route), intake);
  for (const url of ['/api/*', ...NEAR_ADDRESSES]) {
    server.app.route({
      method: [...METHODS],
      url,
      config: CONFIG,
      handler: (request, reply) => answer(reply, refusalAnswer(unknownAddress(request.url))),
      errorHandler: answerError(server),
    });
  }
}

/**
 * Binds one address of foreign clients, with and without a final slash. Other methods are answered 405, and each failure
 * in the form of docs/contract/foreign-protocols.md 3.6, unless the protocol defines another.
 */
function bindForeign(server: HttpServer, ...[path, accept, options = {}]: ForeignRoute): void {
  const { methods = ['POST'], refuse = refusalAnswer, sharesPath = false } = options;
  const { limits } = server;
  for (const url of [path, `${path}/`]) {
    server.app.route({
      method: [...methods],
      url,
      config: CONFIG,
      errorHandler: answerError(server, refuse),
      handler: async (request, reply) => {
        const timeoutMs = limits.requestTimeoutMs + limits.operationTimeoutMs;
        const params = request.params as Readonly<Record<string, string>>;
        return answer(reply, await withDeadline(accept(foreignRequest(server, request), params), timeoutMs));
      },
    });
    if (sharesPath) continue;
    server.app.route({
      method: METHODS.filter((method) => !methods.includes(method)),
      url,
      config: CONFIG,
      handler: (request, reply) => {
        reply.header('allow', [...methods, 'OPTIONS'].join(', '));
        const detail = `This address accepts only ${methods.join(', ')}.`;
        return answer(reply, refuse(refusal('method_not_allowed', detail), request.exchange.contentType));
      },
      errorHandler: answerError(server, refuse),
    });
  }
}

function foreignRequest(server: HttpServer, request: FastifyRequest): ForeignRequest {
  const { query } = request;
  const isText = typeof query === 'object' && query !== null && 'text' in query;
  return {
    headers: request.headers,
    contentType: request.exchange.contentType,
    queryText: isText && typeof query.text === 'string' ? query.text : '',
    clientKey: clientKey(request.exchange.clientAddress),
    openClaim: (sender) => server.load.ingestion.open(sender),
    readBody: (claim, options) => readStreamedBody(server, request, claim, options),
  };
}

function answer(reply: FastifyReply, { status, headers, body }: ForeignAnswer): FastifyReply {
  if (Buffer.isBuffer(body)) return reply.code(status).headers(headers).send(body);
  return reply.code(status).headers(headers).header('content-type', JSON_TYPE).send(JSON.stringify(body));
}

/**
 * Returns the handler of refusals before an operation starts, and of failures in one, in the form that foreign clients
 * read.
 */
function answerError(server: HttpServer, refuse: Refuse = refusalAnswer) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { contentType } = request.exchange;
    if (error instanceof Problem) {
      if (error.code === 'service_unavailable') return answer(reply, refuse(UNAVAILABLE_NOW, contentType));
      const code: ForeignProblem = isForeign(error.code) ? error.code : 'invalid_payload';
      const refused = refuse(refusal(code, error.reason ?? 'The request cannot be read.'), contentType);
      return answer(reply, { ...refused, status: error.status });
    }
    const fields = { requestId: request.id, ...errorFields(error) };
    if (error instanceof OutageError || error instanceof StatementCanceledError) {
      server.log.warn(fields, 'request failed because a dependency was unavailable');
      return answer(reply, refuse(UNAVAILABLE_NOW, contentType));
    }
    server.log.error(fields, 'request failed unexpectedly');
    const failed = refusal('internal_error', 'The service failed. Nothing was accepted.');
    return answer(reply, refuse(failed, contentType));
  };
}

function isForeign(code: string): code is ForeignProblem {
  return Object.hasOwn(FOREIGN_STATUS, code);
}

function unknownAddress(url: string) {
  const path = url.split('?', 1)[0] ?? '';
  if (/^\/api\/0(?:\/|$)/.test(path)) {
    return refusal(
      'not_found',
      "This is not Sentry's management API. Use the command line culprit, or the API at /v1.",
    );
  }
  if (/^\/api\/[^/]+\/(?:minidump|unreal|playstation)(?:\/|$)/.test(path)) {
    return refusal(
      'not_supported',
      'Culprit does not accept native crash dumps. Send errors of your own code through the library.',
    );
  }
  if (path.startsWith('/opentelemetry.proto.')) {
    return refusal(
      'not_found',
      'OpenTelemetry is accepted over HTTP, not over gRPC. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf.',
    );
  }
  if (path.startsWith('/v1development/')) {
    return refusal('not_found', 'Culprit accepts traces and logs of OpenTelemetry, but no profiles.');
  }
  if (/\/(?:otlp|v1)(?:\/|$)/.test(path)) {
    return refusal(
      'not_found',
      'OpenTelemetry is accepted at /v1/traces and /v1/logs, and below /api/<number>/integration/otlp with the key of a DSN. Exporters add /v1/traces to OTEL_EXPORTER_OTLP_ENDPOINT themselves.',
    );
  }
  return refusal(
    'not_found',
    'This address accepts no events. Copy the DSN from the settings of the project.',
  );
}
