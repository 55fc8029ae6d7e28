import {
  type BodyOf,
  type Endpoint,
  type ParamsOf,
  pathParameterNames,
  type QueryOf,
  type ResponseOf,
} from './endpoint.ts';
import type { ProblemCode } from './problems.ts';

/**
 * The errors that the client itself reports when no answer of the API came: no connection, cut off, or not our JSON.
 */
type TransportProblem = 'connection_failed' | 'unreadable_answer';

/** A newer server may know codes this client does not. */
type CallError = ProblemCode | TransportProblem | (string & Record<never, never>);

/**
 * The answer to a call; `ok` distinguishes success (2xx) from everything else. Calls never throw for an answer of a
 * server.
 */
export type CallResult<E extends Endpoint> = ({ ok: true } & SuccessOf<E>) | FailedCall;

/** An answer that is no success, or none at all. */
export interface FailedCall {
  ok: false;
  status: number;
  error: CallError;
  retryAfterSeconds: number | null;
  /** By which the server's log names the request; null when no answer of the API came. */
  requestId: string | null;
}

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;
type SuccessOf<E extends Endpoint> = Extract<ResponseOf<E>, { status: SuccessStatus }>;

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [Key in Name]?: undefined }
  : Record<never, never> extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value };

/** The parts a call needs: those without required fields may be left out. */
type CallInput<E extends Endpoint> = Part<'params', ParamsOf<E>> &
  Part<'query', QueryOf<E>> &
  Part<'body', BodyOf<E>> & { signal?: AbortSignal };

/** The argument of a call, which may be left out when no part is required. */
export type InputArguments<E extends Endpoint> =
  Record<never, never> extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];

export interface Client {
  call<E extends Endpoint>(endpoint: E, ...input: InputArguments<E>): Promise<CallResult<E>>;
  /** The same for parts that are made from a table: neither they nor the answer are typed. */
  send(endpoint: Endpoint, parts: RequestParts): Promise<AnswerParts>;
}

/** The parts of a request without types; the server checks them. */
export interface RequestParts {
  params?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  /** A body that is JSON already. */
  json?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

export type AnswerParts = { ok: true; status: number; body: unknown } | FailedCall;

interface ClientOptions {
  /** Without the `/v1`; a trailing slash is ignored. */
  baseUrl: string;
  /** Sent as bearer; null for public endpoints and for a browser session. */
  token: string | null;
  /** Sent with every call, for example the CSRF token of a session. */
  headers?: Readonly<Record<string, string>>;
  credentials?: RequestCredentials;
  /** In place of the `fetch` of the platform. */
  fetch?: Send;
}

/** The request that a call passes to its sender. */
interface SentRequest {
  method: string;
  headers: Record<string, string>;
  redirect: 'manual';
  credentials?: RequestCredentials;
  signal?: AbortSignal;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends a request: `fetch`, or something that answers as it does. Throws when no answer came. */
type Send = (
  url: string,
  request: SentRequest,
) => Promise<Pick<Response, 'status' | 'text'> & { headers: Pick<Headers, 'get'> }>;

/** A client of the API, typed by the endpoint constants: dashboard, command line and tests all use it. */
export function createClient(options: ClientOptions): Client {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const send: Send = options.fetch ?? globalThis.fetch;

  async function exchange(endpoint: Endpoint, parts: RequestParts): Promise<AnswerParts> {
    let response: Awaited<ReturnType<Send>>;
    let text: string;
    try {
      response = await send(baseUrl + urlOf(endpoint, parts), requestInit(options, endpoint, parts));
      text = await response.text();
    } catch {
      return { ok: false, status: 0, error: 'connection_failed', retryAfterSeconds: null, requestId: null };
    }
    return readAnswer(response, text);
  }

  return {
    async call<E extends Endpoint>(endpoint: E, ...[input]: InputArguments<E>): Promise<CallResult<E>> {
      // The one place where bytes become the contract's type: the server filters answers by the same schema.
      return (await exchange(endpoint, input ?? {})) as CallResult<E>;
    },
    send: exchange,
  };
}

/** The path with its parameters filled in and the query; absent query values are left out. */
function urlOf(endpoint: Endpoint, input: RequestParts): string {
  const params = new Map<string, unknown>(Object.entries(input.params ?? {}));
  let path = endpoint.path;
  for (const name of pathParameterNames(path)) {
    path = path.replace(`:${name}`, () => encodeURIComponent(String(params.get(name) ?? '')));
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function requestInit(options: ClientOptions, endpoint: Endpoint, input: RequestParts): SentRequest {
  const headers: Record<string, string> = { ...options.headers, accept: 'application/json' };
  if (options.token !== null) headers.authorization = `Bearer ${options.token}`;
  const init: SentRequest = { method: endpoint.method, headers, redirect: 'manual' };
  if (options.credentials !== undefined) init.credentials = options.credentials;
  if (input.signal !== undefined) init.signal = input.signal;
  if (input.body instanceof Uint8Array) {
    headers['content-type'] = 'application/octet-stream';
    init.body = new Uint8Array(input.body);
  } else if (input.body !== undefined || input.json !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = input.json ?? JSON.stringify(input.body);
  }
  return init;
}

function readAnswer(response: Awaited<ReturnType<Send>>, text: string): AnswerParts {
  const { status } = response;
  const parsed = text === '' ? { isJson: true as const, value: undefined } : parseJson(text);
  if (status >= 200 && status < 300 && parsed.isJson) {
    return { ok: true, status, body: parsed.value };
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    ok: false,
    status,
    error: (parsed.isJson ? errorWord(parsed.value) : null) ?? 'unreadable_answer',
    retryAfterSeconds: Number.isInteger(seconds) && seconds >= 0 ? seconds : null,
    requestId: response.headers.get('x-request-id'),
  };
}

function parseJson(text: string): { isJson: true; value: unknown } | { isJson: false } {
  try {
    const value: unknown = JSON.parse(text);
    return { isJson: true, value };
  } catch {
    return { isJson: false };
  }
}

/** The `error` of a problem, or the `reason` of an instance that is not ready. */
function errorWord(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('error' in value && typeof value.error === 'string') return value.error;
  if ('reason' in value && typeof value.reason === 'string') return value.reason;
  return null;
}
