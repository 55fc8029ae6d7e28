import type { IncomingHttpHeaders } from 'node:http';
import type { BodyOf, Endpoint, ParamsOf, QueryOf, Schema } from '@culprit/contract/endpoints/endpoint';
import type { Logger } from 'pino';
import type { Static } from 'typebox';
import type { Claim } from '../limits/budget.ts';
import type { EventStream } from '../server/event-stream.ts';
import type { RawJson } from './raw-json.ts';
import type { ByteClaim, RawBody } from './request-body.ts';

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
export interface AnswerConnection {
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
export type OperationResult<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: {
    status: Status;
    headers?: Readonly<Record<string, string | readonly string[]>>;
  } & AnswerBody<E['responses'][Status]>;
}[keyof E['responses'] & number];

type AnswerBody<S> = S extends Schema ? { body: Static<S> | RawJson | EventStream } : { body?: undefined };

/** Does the work: plan and state, in that order. Expected failures are thrown as `Problem`. */
export type Operation<E extends Endpoint, Caller, Access = null, Checked = undefined> = (
  context: OperationContext<E, Caller, Access, Checked>,
) => Promise<OperationResult<E>>;

/** Judges what a schema cannot say of query and body, before anything is looked up (step 6 of the order of checks). */
export type Check<E extends Endpoint, Checked> = (
  request: Pick<OperationContext<E, null>, 'params' | 'query' | 'body'>,
) => Checked | Promise<Checked>;

/** An operation that checks its whole request itself, in a separate order (such as `POST /v1/events`). */
export type RawOperation<E extends Endpoint> = (
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
