import type { IncomingHttpHeaders } from 'node:http';
import {
  type Auth,
  type BodyOf,
  CREDENTIAL_PROBLEM,
  type Endpoint,
  isMutation,
  type ParamsOf,
  type QueryOf,
  type Schema,
} from '@culprit/contract/endpoint';
import type { ProblemCode } from '@culprit/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Static } from 'typebox';
import type { CorsPolicy } from './cors.ts';
import { withDeadline } from './deadline.ts';
import type { BudgetName, HttpServer } from './http-server.ts';
import { Problem } from './problem.ts';
import type { RawJson } from './raw-json.ts';
import { type ReadBodyResult, readBody } from './read-body.ts';
import { createRequestChecks } from './request-checks.ts';
import { compileResponder } from './responder.ts';

/** What each kind of credential resolves to. */
export interface Callers {
  member: unknown;
  project_token: unknown;
  session: unknown;
}

/** Finds who is behind the headers; null when nobody, which answers 401 with the code of the kind. */
export type Authenticate<Caller> = (headers: IncomingHttpHeaders) => Promise<Caller | null>;

export interface BinderOptions<C extends Callers> {
  server: HttpServer;
  authenticators: { [Kind in keyof Callers]: Authenticate<C[Kind]> };
  /** Judges mutations by members and sessions; the answer is a code or null (account.md 2.6). */
  checkCsrf: (
    caller: C['member'] | C['session'],
    headers: IncomingHttpHeaders,
  ) => ProblemCode | null | Promise<ProblemCode | null>;
  /** Checks every answer against its whole schema and fails on a difference: for tests. */
  verifiesResponses?: boolean;
}

export type CallerOf<C extends Callers, E extends Endpoint> = E['auth'] extends keyof Callers
  ? C[E['auth']]
  : null;

/** What every operation knows of its request. */
export interface RequestContext {
  requestId: string;
  log: Logger;
  headers: IncomingHttpHeaders;
  /** `Content-Type` as sent. */
  contentType: string | undefined;
  /** The peer, or whom a trusted proxy names. */
  clientAddress: string;
}

export interface OperationContext<E extends Endpoint, Caller> extends RequestContext {
  caller: Caller;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}

/** An answer of the endpoint. `body` may be `RawJson` where the binding says so, and is undefined for `'empty'`. */
export type OperationResult<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: {
    status: Status;
    headers?: Readonly<Record<string, string | readonly string[]>>;
  } & AnswerBody<E['responses'][Status]>;
}[keyof E['responses'] & number];

type AnswerBody<S> = S extends Schema ? { body: Static<S> | RawJson } : { body?: undefined };

/** Does the work: visibility, role, plan and state, in that order. Expected failures are thrown as `Problem`. */
export type Operation<E extends Endpoint, Caller> = (
  context: OperationContext<E, Caller>,
) => Promise<OperationResult<E>>;

/** An operation that judges its whole request itself, in an order of its own (such as `POST /v1/events`). */
export type RawOperation<E extends Endpoint> = (
  context: RequestContext & {
    /** Behind the `?`, as sent. */
    queryText: string;
    /**
     * At most the limit of ingestion, decoded. Asks for room for each piece it keeps, here and in the budget of the
     * server. A silent or crowded-out body throws.
     */
    readBody: (takeBytes?: (sizeBytes: number) => boolean) => Promise<RawBody>;
    /** Asks the budget of the server for room for what the body becomes; given back behind the answer. */
    takeBytes: (sizeBytes: number) => boolean;
  },
) => Promise<OperationResult<E>>;

export type RawBody =
  | { ok: true; bytes: Buffer }
  | { ok: false; problem: 'payload_too_large' | 'invalid_payload' };

export interface BindOptions {
  /** The operation may answer stored bytes. */
  rawResponse?: boolean;
  /** The answer carries an `ETag`, and `If-None-Match` with it is answered 304. Not for stored bytes. */
  tagged?: boolean;
  cors?: CorsPolicy;
  budget?: BudgetName;
  /** Answers HEAD as well: for probes. */
  head?: boolean;
}

export interface Binder<C extends Callers> {
  /** Names the endpoint; `to` or `toRaw` gives it its operation. Two steps, so that answers are typed literally. */
  bind<E extends Endpoint>(endpoint: E, options?: BindOptions): Binding<E, CallerOf<C, E>>;
  /** Throws for the first endpoint of the list that was not bound, and for a bound one that is not in the list. */
  requireAll(endpoints: readonly Endpoint[]): void;
}

export interface Binding<E extends Endpoint, Caller> {
  to(operation: Operation<E, Caller>): void;
  toRaw(operation: RawOperation<E>): void;
}

/** Connects endpoints of the contract with operations. Checks run in the order of account.md section 0. */
export function createBinder<C extends Callers>(options: BinderOptions<C>): Binder<C> {
  const { server } = options;
  const { limits } = server;
  const bound = new Set<string>();

  function addRoute(
    endpoint: Endpoint,
    bindOptions: BindOptions,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ): void {
    if (!(endpoint.auth === 'public' || Object.hasOwn(options.authenticators, endpoint.auth))) {
      throw new Error(`endpoint ${endpoint.id} does not say who may call it`);
    }
    bound.add(endpoint.id);
    server.app.route({
      method: bindOptions.head === true ? [endpoint.method, 'HEAD'] : endpoint.method,
      url: endpoint.path,
      config: {
        access: endpoint.auth,
        budget: bindOptions.budget ?? 'management',
        cors: bindOptions.cors ?? 'app',
      },
      handler,
    });
  }

  return {
    bind<E extends Endpoint>(endpoint: E, bindOptions: BindOptions = {}): Binding<E, CallerOf<C, E>> {
      const respond = compileResponder(endpoint, {
        allowsRaw: bindOptions.rawResponse === true,
        verifies: options.verifiesResponses === true,
        isTagged: bindOptions.tagged === true,
      });
      return {
        to(operation) {
          const checks = createRequestChecks(endpoint);
          const needsCsrf = isMutation(endpoint.method) && hasCookieCallers(endpoint.auth);

          addRoute(endpoint, bindOptions, async (request, reply) => {
            const { headers } = request;
            const caller = await withDeadline(
              authenticate(options, endpoint.auth, headers),
              limits.operationTimeoutMs,
            );
            const bytes = endpoint.body === undefined ? null : await readManagementBody(server, request);
            if (needsCsrf) {
              const problem = await options.checkCsrf(caller, headers);
              if (problem !== null) throw new Problem(problem);
            }
            const params = checks.params(request.params);
            const query = checks.query(queryText(request));
            const body = checks.body(bytes, headers, request.exchange.contentType);
            // The one place where checked input becomes the contract's types.
            const context = {
              ...requestContext(server, request),
              caller,
              params,
              query,
              body,
            } as OperationContext<E, CallerOf<C, E>>;
            return respond(reply, await withDeadline(operation(context), limits.operationTimeoutMs));
          });
        },

        toRaw(operation) {
          addRoute(endpoint, bindOptions, async (request, reply) => {
            const context = {
              ...requestContext(server, request),
              queryText: queryText(request),
              readBody: async (takeBytes?: (sizeBytes: number) => boolean) =>
                rawBody(await readIngestionBody(server, request, takeBytes)),
              takeBytes: (sizeBytes: number) => takeFromBudget(request, sizeBytes),
            };
            // The body alone has its own time, which Node keeps.
            const timeoutMs = limits.requestTimeoutMs + limits.operationTimeoutMs;
            return respond(reply, await withDeadline(operation(context), timeoutMs));
          });
        },
      };
    },

    requireAll(endpoints) {
      const missing = endpoints.find(({ id }) => !bound.has(id));
      if (missing !== undefined) throw new Error(`endpoint ${missing.id} has no operation`);
      const listed = new Set(endpoints.map(({ id }) => id));
      const unlisted = [...bound].find((id) => !listed.has(id));
      if (unlisted !== undefined) throw new Error(`endpoint ${unlisted} is bound, but not listed`);
    },
  };
}

function requestContext(server: HttpServer, request: FastifyRequest): RequestContext {
  return {
    requestId: request.id,
    log: server.log,
    headers: request.headers,
    contentType: request.exchange.contentType,
    clientAddress: request.ip,
  };
}

/** Step 2: the credential, from the headers alone. */
async function authenticate<C extends Callers>(
  options: BinderOptions<C>,
  auth: Auth,
  headers: IncomingHttpHeaders,
): Promise<C[keyof Callers] | null> {
  if (auth === 'public') return null;
  const caller = await options.authenticators[auth](headers);
  if (caller === null) throw new Problem(CREDENTIAL_PROBLEM[auth]);
  return caller;
}

/** Step 3: the size of the body, declared or read. */
async function readManagementBody(server: HttpServer, request: FastifyRequest): Promise<Buffer> {
  const result = await read(server, request, server.limits.managementBodyBytesMax, false);
  if (!result.ok) throw bodyProblem(result.problem);
  return result.bytes;
}

function readIngestionBody(
  server: HttpServer,
  request: FastifyRequest,
  takeBytes?: (sizeBytes: number) => boolean,
): Promise<ReadBodyResult> {
  return read(server, request, server.limits.ingestionBodyBytesMax, true, takeBytes);
}

function read(
  server: HttpServer,
  request: FastifyRequest,
  bytesMax: number,
  decodes: boolean,
  mayTakeBytes: (sizeBytes: number) => boolean = () => true,
): Promise<ReadBodyResult> {
  return readBody(request.raw, {
    bytesMax,
    silenceTimeoutMs: server.limits.silentBodyTimeoutMs,
    decodes,
    takeBytes(sizeBytes) {
      if (!mayTakeBytes(sizeBytes) || !takeFromBudget(request, sizeBytes)) return false;
      request.exchange.bodyBytes += sizeBytes;
      return true;
    },
  });
}

function takeFromBudget({ exchange }: FastifyRequest, sizeBytes: number): boolean {
  if (exchange.budget?.takeBytes(sizeBytes) === false) return false;
  exchange.heldBytes += sizeBytes;
  return true;
}

function bodyProblem(code: ProblemCode): Problem {
  return code === 'request_timeout' ? new Problem(code, { status: 408 }) : new Problem(code);
}

function rawBody(result: ReadBodyResult): RawBody {
  if (result.ok) return result;
  const { problem } = result;
  if (problem === 'payload_too_large' || problem === 'invalid_payload') return { ok: false, problem };
  throw bodyProblem(problem);
}

function hasCookieCallers(auth: Auth): boolean {
  return auth === 'member' || auth === 'session';
}

function queryText(request: FastifyRequest): string {
  const { query } = request;
  return typeof query === 'object' && query !== null && 'text' in query && typeof query.text === 'string'
    ? query.text
    : '';
}
