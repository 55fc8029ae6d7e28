import {
  type AnswerParts,
  type CallResult,
  type Client,
  createClient,
  type InputArguments,
  type RequestParts,
} from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { CliError } from '../cli-error.ts';
import { isObject, type JsonObject } from '../config/json-file.ts';
import type { Calls, Failure, Success } from './calls.ts';
import { type HttpAnswer, NoAnswer, sendHttp } from './http-send.ts';
import { type ProblemPlace, problemError } from './problem-error.ts';
import { strangerError, transportError } from './transport-words.ts';

interface ApiOptions {
  origin: string;
  /** Null for public endpoints. */
  token: string | null;
  /** Words for errors: which credential this is. */
  place: ProblemPlace;
  timeoutMs: number;
  /** Called for every request with method, path, status, milliseconds, request id. */
  trace: ((line: string) => void) | null;
  version: string;
  /** Sent with every call: cookie and CSRF token of a session. */
  headers?: Readonly<Record<string, string>>;
  /** Called with the headers of each answer, for cookies and clocks. */
  onAnswer?: (answer: HttpAnswer) => void;
}

const ANSWER_BYTES_MAX = 8 * 1_048_576;
const RETRY_DELAYS_MS = [250, 1000];
const RETRY_AFTER_SECONDS_MAX = 5;
/** Changes that are harmless when they are made twice. */
const REPEATABLE = new Set([
  'resolveIncident',
  'reopenIncident',
  'resolveIncidents',
  'reopenIncidents',
  'resolveImprovement',
  'reopenImprovement',
  'revokeProjectToken',
  'revokeMemberToken',
  'deactivateProbe',
]);

/** Calls of one server with one credential: the client of the contract, with timeouts, retries and words for failures. */
export class Api implements Calls {
  readonly origin: string;
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.origin = options.origin;
    this.#options = options;
  }

  async call<E extends Endpoint>(endpoint: E, ...input: InputArguments<E>): Promise<Success<E>['body']> {
    const result = await this.attempt(endpoint, ...input);
    if (!result.ok) throw await this.#thrown(endpoint, result);
    return result.body;
  }

  async attempt<E extends Endpoint>(endpoint: E, ...input: InputArguments<E>): Promise<Success<E> | Failure> {
    // The compiler cannot narrow the generic union; `ok` distinguishes the two all the same.
    return await this.#repeat(endpoint, input[0], (client) => client.call(endpoint, ...input), isSuccess);
  }

  /** Sends like `call`, for requests that are built from a table; an answer without an object is an empty one. */
  async send(endpoint: Endpoint, parts: RequestParts): Promise<JsonObject> {
    const result = await this.attemptSend(endpoint, parts);
    if (!result.ok) throw await this.#thrown(endpoint, result);
    return isObject(result.body) ? result.body : {};
  }

  async attemptSend(
    endpoint: Endpoint,
    parts: RequestParts,
  ): Promise<Extract<AnswerParts, { ok: true }> | Failure> {
    return await this.#repeat(endpoint, parts, (client) => client.send(endpoint, parts), isAnswered);
  }

  async #repeat<Result extends { ok: boolean }, Good extends Result>(
    endpoint: Endpoint,
    parts: unknown,
    once: (client: Client) => Promise<Result>,
    isGood: (result: Result) => result is Good,
  ): Promise<Good | Failure> {
    const isRepeatable = endpoint.method === 'GET' || REPEATABLE.has(endpoint.id);
    for (let tries = 0; ; tries += 1) {
      const { client, seen } = this.#client(endpoint);
      const result = await once(client);
      if (isGood(result)) return result;
      const failed = failedCall(result);
      const delayMs = RETRY_DELAYS_MS[tries];
      if (isRepeatable && delayMs !== undefined && mayRepeat(failed, seen)) {
        const seconds = failed.retryAfterSeconds;
        await new Promise((resolve) => setTimeout(resolve, seconds === null ? delayMs : seconds * 1000));
        continue;
      }
      const failure = this.#failure(endpoint, failed, seen);
      if (failure.code !== 'forbidden') return failure;
      const { withRole } = await import('./role-words.ts');
      return await withRole(this, endpoint, parts, failure);
    }
  }

  #client(endpoint: Endpoint): { client: Client; seen: Seen } {
    const seen: Seen = { requestId: null, reason: null, noAnswer: null, isJson: true };
    const { timeoutMs, trace, version, onAnswer } = this.#options;
    const client = createClient({
      baseUrl: this.origin,
      token: this.#options.token,
      headers: { 'user-agent': `culprit-cli/${version}`, ...this.#options.headers },
      fetch: async (url, init) => {
        const startedAt = performance.now();
        const report = (outcome: string) => {
          const durationMs = Math.round(performance.now() - startedAt);
          // The pattern of the path, so that neither ids nor query values are written.
          trace?.(`${init.method} ${endpoint.path} ${outcome} ${durationMs} ms ${seen.requestId ?? '-'}`);
        };
        try {
          const answer = await sendHttp(url, { ...init, timeoutMs, answerBytesMax: ANSWER_BYTES_MAX });
          seen.requestId = answer.headers.get('x-request-id');
          seen.reason = answer.headers.get('x-service-problem');
          seen.isJson = (answer.headers.get('content-type') ?? 'application/json').includes('json');
          onAnswer?.(answer);
          report(String(answer.status));
          return answer;
        } catch (error) {
          seen.noAnswer = error instanceof NoAnswer ? error : new NoAnswer('FAILED', String(error));
          report(seen.noAnswer.code);
          throw error;
        }
      },
    });
    return { client, seen };
  }

  /** An endpoint that an older server does not have is worth a look at its release. */
  async #thrown(endpoint: Endpoint, { code, failure }: Failure): Promise<CliError> {
    if (code !== 'not_found') return failure;
    const { missingEndpointError } = await import('./version-words.ts');
    return await missingEndpointError(this, endpoint, failure.hint);
  }

  #failure(endpoint: Endpoint, result: FailedCall, seen: Seen): Failure {
    const { place } = this.#options;
    if (seen.noAnswer !== null) throw transportError(seen.noAnswer.code, seen.noAnswer.message, this.origin);
    if (result.error === 'unreadable_answer' || !seen.isJson) {
      throw strangerError(this.origin, result.status, seen.requestId);
    }
    const { status, error, retryAfterSeconds } = result;
    const failure = problemError(
      { code: error, status, retryAfterSeconds, requestId: seen.requestId, reason: seen.reason },
      place,
      endpoint,
    );
    return { ok: false, code: error, status, retryAfterSeconds, failure };
  }
}

interface Seen {
  requestId: string | null;
  /** The fault and its place, for people (docs/contract/account.md 0). */
  reason: string | null;
  noAnswer: NoAnswer | null;
  isJson: boolean;
}

interface FailedCall {
  ok: false;
  status: number;
  error: string;
  retryAfterSeconds: number | null;
}

function isAnswered(result: AnswerParts): result is Extract<AnswerParts, { ok: true }> {
  return result.ok;
}

/** Returns the failure of a refused call, for any type of the call. */
function failedCall(result: object): FailedCall {
  const status = 'status' in result && typeof result.status === 'number' ? result.status : 0;
  const error = 'error' in result && typeof result.error === 'string' ? result.error : 'unreadable_answer';
  const seconds = 'retryAfterSeconds' in result ? result.retryAfterSeconds : null;
  return { ok: false, status, error, retryAfterSeconds: typeof seconds === 'number' ? seconds : null };
}

function isSuccess<E extends Endpoint>(result: CallResult<E>): result is Success<E> {
  return result.ok;
}

function mayRepeat({ status, retryAfterSeconds }: FailedCall, seen: Seen): boolean {
  if (seen.noAnswer !== null)
    return ['ECONNRESET', 'ECONNREFUSED', 'CUT_OFF', 'EPIPE'].includes(seen.noAnswer.code);
  if (retryAfterSeconds !== null) return retryAfterSeconds <= RETRY_AFTER_SECONDS_MAX;
  return status === 502 || status === 503 || status === 504;
}
