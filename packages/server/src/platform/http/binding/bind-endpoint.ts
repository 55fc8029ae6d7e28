import { type Auth, type Endpoint, isMutation, needsFullAccess } from '@culprit/contract/endpoints/endpoint';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claim } from '../limits/budget.ts';
import { clientKey } from '../limits/client-key.ts';
import { withDeadline } from '../limits/deadline.ts';
import type { CorsPolicy } from '../server/cors.ts';
import type { BudgetName, HttpServer } from '../server/http-server.ts';
import { startRequestWork } from '../server/request-work.ts';
import {
  type AccessOf,
  authenticate,
  authorize,
  type BinderOptions,
  type CallerOf,
  type Callers,
} from './callers.ts';
import type {
  AnswerConnection,
  Check,
  Operation,
  OperationContext,
  OperationResult,
  RawOperation,
  RequestContext,
} from './operation.ts';
import { Problem } from './problem.ts';
import { repeatId, repeatKeyOf } from './repeat-key.ts';
import {
  type ByteClaim,
  bytesOf,
  isBodyOnItsWay,
  rawBodyOf,
  readIngestionBody,
  readManagementBody,
} from './request-body.ts';
import { createRequestChecks } from './request-checks.ts';
import { answerOf, type ContentOf, compileResponder } from './responder.ts';

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
