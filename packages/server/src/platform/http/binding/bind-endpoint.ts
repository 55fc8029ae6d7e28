import type { IncomingHttpHeaders } from 'node:http';
import {
  type Auth,
  type BodyOf,
  CREDENTIAL_PROBLEM,
  type Endpoint,
  isMutation,
  needsFullAccess,
  type ParamsOf,
  type QueryOf,
  type Role,
  type Schema,
} from '@culprit/contract/endpoints/endpoint';
import type { Scope } from '@culprit/contract/endpoints/scope';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Static } from 'typebox';
import type { Claim } from '../limits/budget.ts';
import { clientKey } from '../limits/client-key.ts';
import { withDeadline } from '../limits/deadline.ts';
import type { CorsPolicy } from '../server/cors.ts';
import type { EventStream } from '../server/event-stream.ts';
import type { BudgetName, HttpServer } from '../server/http-server.ts';
import { startRequestWork } from '../server/request-work.ts';
import { Problem } from './problem.ts';
import type { RawJson } from './raw-json.ts';
import { repeatId, repeatKeyOf } from './repeat-key.ts';
import {
  type ByteClaim,
  bytesOf,
  isBodyOnItsWay,
  type RawBody,
  rawBodyOf,
  readIngestionBody,
  readManagementBody,
} from './request-body.ts';
import { createRequestChecks } from './request-checks.ts';
import { answerOf, type ContentOf, compileResponder } from './responder.ts';

/** The type to which each kind of credential resolves. */
export interface Callers {
  member: unknown;
  project_token: unknown;
  session: unknown;
  /** The access that an operation receives for the subject of its request, by the kind of the endpoint's scope. */
  access: { [Kind in ScopeKind]: unknown };
}

/** The kinds of scope that are resolved; what is the caller's alone needs nothing. */
export type ScopeKind = Exclude<Scope['of'], 'person'>;

type CredentialKind = Exclude<keyof Callers, 'access'>;

/** Finds the caller of these headers; null when there is none, which answers 401 with the code of the kind. */
type Authenticate<Caller> = (headers: IncomingHttpHeaders) => Promise<Caller | null>;

export interface BinderOptions<C extends Callers> {
  server: HttpServer;
  authenticators: { [Kind in CredentialKind]: Authenticate<C[Kind]> };
  /**
   * Steps 7 to 9 of the order of checks (docs/contract/account.md 0) for an endpoint with a scope: visibility, role,
   * paused sharing. Throws `Problem`.
   */
  authorizers: { [Kind in ScopeKind]: Authorize<C['member'] | C['session'], C['access'][Kind], Kind> };
  /** Judges mutations by members and sessions; the answer is a code or null (docs/contract/account.md 2.6). */
  checkCsrf: (
    caller: C['member'] | C['session'],
    headers: IncomingHttpHeaders,
  ) => 'invalid_csrf_token' | null;
  /**
   * Returns true if the caller's credential permits this kind of request at all, whatever its access to the subject.
   */
  mayAsk: (caller: C['member'] | C['session'], request: { changes: boolean; isOfBuild: boolean }) => boolean;
  /** Returns the caller and the subject of a request, which separate a key of a repeat from other keys. */
  repeatParts: (
    caller: C['member'] | C['session'],
    access: C['access'][ScopeKind] | null,
  ) => readonly string[];
  /** Checks every answer against its whole schema and fails on a difference: for tests. */
  verifiesResponses?: boolean;
}

/** Finds what the scope names in a checked request, and whether the caller may do with it what the role allows. */
export type Authorize<Caller, Access, Kind extends ScopeKind> = (
  caller: Caller,
  scope: Extract<Scope, { of: Kind }>,
  role: Role,
  request: CheckedRequest,
) => Promise<Access>;

/** The parts of a request that have passed their schemas. */
export interface CheckedRequest {
  params: unknown;
  query: unknown;
  body: unknown;
}

export type CallerOf<C extends Callers, E extends Endpoint> = E['auth'] extends CredentialKind
  ? C[E['auth']]
  : null;

/** The access that the operation of an endpoint receives for the subject of its request; null without a scope. */
export type AccessOf<C extends Callers, E extends Endpoint> = E extends {
  readonly scope: { readonly of: infer Kind extends ScopeKind };
}
  ? C['access'][Kind]
  : null;

/** The data about its request that every operation receives. */
export interface RequestContext {
  requestId: string;
  log: Logger;
  headers: IncomingHttpHeaders;
  /** The raw `Content-Type`. */
  contentType: string | undefined;
  /** The peer, or whom a trusted proxy names. */
  clientAddress: string;
}

/** For operations that wait for something: the connection that awaits the answer, and the slot that they use. */
interface AnswerConnection {
  /** Gives the slot of the request back while nothing is done for it. */
  rest(): void;
  /** Takes a slot again; false when none is free. */
  resume(): boolean;
  /** Calls back when the answer is sent or the client is gone. */
  onClosed(listener: () => void): void;
}

export interface OperationContext<E extends Endpoint, Caller, Access = null, Checked = undefined>
  extends RequestContext {
  caller: Caller;
  access: Access;
  /** The result of the binding's check of the request (`Binding.checked`). */
  checked: Checked;
  connection: AnswerConnection;
  /**
   * The id of the record that the request creates, where the endpoint is repeatable and the caller gave a key. A record
   * with this id is the answer: the request is a repeat.
   */
  repeatId: string | null;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}

/** An answer of the endpoint. `body` may be `RawJson` where the binding says so, and is undefined for `'empty'`. */
type OperationResult<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: {
    status: Status;
    headers?: Readonly<Record<string, string | readonly string[]>>;
  } & AnswerBody<E['responses'][Status]>;
}[keyof E['responses'] & number];

type AnswerBody<S> = S extends Schema ? { body: Static<S> | RawJson | EventStream } : { body?: undefined };

/** Does the work: plan and state, in that order. Expected failures are thrown as `Problem`. */
type Operation<E extends Endpoint, Caller, Access = null, Checked = undefined> = (
  context: OperationContext<E, Caller, Access, Checked>,
) => Promise<OperationResult<E>>;

/** Judges what a schema cannot say of query and body, before anything is looked up (step 6 of the order of checks). */
type Check<E extends Endpoint, Checked> = (
  request: Pick<OperationContext<E, null>, 'params' | 'query' | 'body'>,
) => Checked | Promise<Checked>;

/** An operation that checks its whole request itself, in a separate order (such as `POST /v1/events`). */
type RawOperation<E extends Endpoint> = (
  context: RequestContext & {
    /** The raw text after the `?`. */
    queryText: string;
    /** The key that counts as one client for limits: the address, or the network of an IPv6 address. */
    clientKey: string;
    /**
     * The request's use of the endpoint's budget, under the name of its sender. The operation takes a slot when it has
     * something to do, and closes the claim when its work has ended, whether or not the client is still connected.
     */
    openClaim: (sender: string) => Claim;
    /**
     * At most the limit of ingestion, decoded; the claim counts each piece. A silent body throws, and one that the
     * claim does not let in.
     */
    readBody: (claim: ByteClaim) => Promise<RawBody>;
    /** Returns true if the client has closed its connection. */
    isGone: () => boolean;
  },
) => Promise<OperationResult<E>>;

interface BindOptions {
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
  bind<E extends Endpoint>(endpoint: E, options?: BindOptions): Binding<E, CallerOf<C, E>, AccessOf<C, E>>;
  /** Throws for the first endpoint of the list that was not bound, and for a bound one that is not in the list. */
  requireAll(endpoints: readonly Endpoint[]): void;
}

interface Binding<E extends Endpoint, Caller, Access, Checked = undefined> {
  /** Adds a check between the schemas and the access; the operation finds its result as `checked`. */
  checked<Result>(check: Check<E, Result>): Pick<Binding<E, Caller, Access, Result>, 'answers' | 'to'>;
  /** For an endpoint with one success: the operation returns its content. */
  answers(
    operation: (
      context: OperationContext<E, Caller, Access, Checked>,
    ) => ContentOf<E> | Promise<ContentOf<E>>,
  ): void;
  /** For status, headers or bytes that the operation chooses. */
  to(operation: Operation<E, Caller, Access, Checked>): void;
  toRaw(operation: RawOperation<E>): void;
}

/**
 * Connects endpoints of the contract with operations. Checks run in the order of docs/contract/account.md section 0.
 */
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
    if (hasCookieCallers(endpoint.auth) && endpoint.scope === undefined) {
      throw new Error(`endpoint ${endpoint.id} does not say what it is about`);
    }
    bound.add(endpoint.id);
    server.app.route({
      method: bindOptions.head === true ? [endpoint.method, 'HEAD'] : endpoint.method,
      url: endpoint.path,
      config: {
        access: endpoint.auth,
        budget: bindOptions.budget ?? 'management',
        takesSlot: true,
        cors: bindOptions.cors ?? 'app',
      },
      handler,
    });
  }

  return {
    bind<E extends Endpoint>(
      endpoint: E,
      bindOptions: BindOptions = {},
    ): Binding<E, CallerOf<C, E>, AccessOf<C, E>> {
      const respond = compileResponder(endpoint, {
        allowsRaw: bindOptions.rawResponse === true,
        verifies: options.verifiesResponses === true,
        isTagged: bindOptions.tagged === true,
      });
      const { budget = 'management' } = bindOptions;
      const openClaim = (sender: string): Claim =>
        budget === 'none' ? UNLIMITED : server.load[budget].open(sender);

      function bindOperation<Checked>(
        check: Check<E, Checked> | null,
        operation: Operation<E, CallerOf<C, E>, AccessOf<C, E>, Checked>,
      ): void {
        const checks = createRequestChecks(endpoint);
        const needsCsrf = isMutation(endpoint.method) && hasCookieCallers(endpoint.auth);
        const changesSomething = hasCookieCallers(endpoint.auth) && needsFullAccess(endpoint);

        addRoute(endpoint, bindOptions, async (request, reply) => {
          const { headers } = request;
          const work = startRequestWork(reply.raw, {
            changes: isMutation(endpoint.method),
            timeoutMs: limits.operationTimeoutMs,
          });
          request.exchange.mayHaveChanged = work.mayHaveChanged;
          const client = clientKey(request.exchange.clientAddress);
          const claim = openClaim(client);
          request.exchange.claim = claim;
          const findCaller = () => work.authenticate(() => authenticate(options, endpoint.auth, headers));
          const hasBody = endpoint.body !== undefined;
          // A client decides itself how long its body takes, so it is waited for without a slot.
          const awaited =
            hasBody && (await isBodyOnItsWay(request))
              ? {
                  caller: await whenFree(server.load.earlyChecks.open(client), findCaller),
                  body: await readManagementBody(server, request, claim, endpoint),
                }
              : null;
          if (!claim.enter()) throw new Problem('service_unavailable');
          const caller = awaited?.caller === undefined ? await findCaller() : awaited.caller;
          const body =
            awaited?.body ?? (hasBody ? await readManagementBody(server, request, claim, endpoint) : null);
          const bytes = body === null ? null : bytesOf(body);
          if (needsCsrf) {
            const problem = options.checkCsrf(caller, headers);
            if (problem !== null) throw new Problem(problem);
          }
          // Public endpoints have no caller.
          if (
            hasCookieCallers(endpoint.auth) &&
            !options.mayAsk(caller, { changes: changesSomething, isOfBuild: endpoint.access === 'build' })
          ) {
            throw new Problem('forbidden');
          }
          const params = checks.params(request.params);
          const query = checks.query(queryText(request));
          const content = checks.body(bytes, headers, request.exchange.contentType);
          const repeatKey = endpoint.isRepeatable === true ? repeatKeyOf(headers) : null;
          const run = async () => {
            // The one place where checked input becomes the contract's types.
            const parts = { params, query, body: content } as Pick<
              OperationContext<E, null>,
              'params' | 'query' | 'body'
            >;
            const checked = await check?.(parts);
            const access = await authorize(options, endpoint, caller, { params, query, body: content });
            const connection: AnswerConnection = {
              rest: () => claim.exit(),
              resume: () => claim.enter(),
              onClosed: (listener) => void reply.raw.once('close', listener),
            };
            const context = {
              ...requestContext(server, request),
              ...parts,
              caller,
              access,
              checked,
              connection,
              repeatId:
                repeatKey === null
                  ? null
                  : repeatId([endpoint.id, ...options.repeatParts(caller, access), repeatKey]),
            };
            return await operation(context as OperationContext<E, CallerOf<C, E>, AccessOf<C, E>, Checked>);
          };
          return respond(reply, await work.operate(run));
        });
      }

      function bindContent<Checked>(
        check: Check<E, Checked> | null,
        operation: (
          context: OperationContext<E, CallerOf<C, E>, AccessOf<C, E>, Checked>,
        ) => ContentOf<E> | Promise<ContentOf<E>>,
      ): void {
        const answer = answerOf(endpoint);
        bindOperation<Checked>(
          check,
          // The responder compares the answer with the schema.
          async (context) => answer(await operation(context)) as OperationResult<E>,
        );
      }

      return {
        checked: (check) => ({
          answers: (operation) => bindContent(check, operation),
          to: (operation) => bindOperation(check, operation),
        }),
        answers: (operation) => bindContent(null, operation),
        to: (operation) => bindOperation(null, operation),

        toRaw(operation) {
          addRoute(endpoint, bindOptions, async (request, reply) => {
            const context = {
              ...requestContext(server, request),
              queryText: queryText(request),
              clientKey: clientKey(request.exchange.clientAddress),
              openClaim,
              readBody: async (claim: ByteClaim) =>
                rawBodyOf(await readIngestionBody(server, request, claim)),
              isGone: () => reply.raw.destroyed,
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
    clientAddress: request.exchange.clientAddress,
  };
}

/** Step 2: the credential, from the headers alone. */
async function authenticate<C extends Callers>(
  options: BinderOptions<C>,
  auth: Auth,
  headers: IncomingHttpHeaders,
): Promise<C[CredentialKind] | null> {
  if (auth === 'public') return null;
  const caller = await options.authenticators[auth](headers);
  if (caller === null) throw new Problem(CREDENTIAL_PROBLEM[auth]);
  return caller;
}

/** Steps 7 to 9: what the request is about; null for an endpoint without a scope. */
async function authorize<C extends Callers>(
  { authorizers }: BinderOptions<C>,
  { scope, role = 'member' }: Endpoint,
  caller: C['member'] | C['session'],
  request: CheckedRequest,
): Promise<unknown> {
  switch (scope?.of) {
    case undefined:
    case 'person':
      return null;
    case 'organization':
      return await authorizers.organization(caller, scope, role, request);
    case 'installation':
      return await authorizers.installation(caller, scope, role, request);
    case 'project':
      return await authorizers.project(caller, scope, role, request);
    case 'projects':
      return await authorizers.projects(caller, scope, role, request);
    case 'record':
      return await authorizers.record(caller, scope, role, request);
    case 'records':
      return await authorizers.records(caller, scope, role, request);
    case 'project_record':
      return await authorizers.project_record(caller, scope, role, request);
  }
}

/** The claim of probes, which an overloaded process answers too. */
const UNLIMITED: Claim = {
  enter: () => true,
  exit() {},
  takeBytes: () => true,
  waitForBytes: () => true,
  close() {},
};

/**
 * Judges a credential whose request is not there as a whole; undefined when too many others are at it, and then it is
 * judged after the body.
 */
async function whenFree<Caller>(
  claim: Claim,
  findCaller: () => Promise<Caller>,
): Promise<Caller | undefined> {
  try {
    return claim.enter() ? await findCaller() : undefined;
  } finally {
    claim.close();
  }
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
