import { type CallResult, createClient, type InputArguments } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { createSignal } from '../ui/signal.ts';

/** The one client of the API. The cookie says who calls; changes also carry the session's CSRF token. */

const CSRF_HEADER = 'x-csrf-token';
const SESSION_PATH = '/v1/auth/session';
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** One lost request is no news; two in a row are. */
const FAILURES_BEFORE_BANNER = 2;

let csrfToken: string | null = null;

interface Connection {
  isLost: boolean;
  /** The time of the last answer, by this machine's clock. */
  lastAnswerAt: number;
}

export const connection = createSignal<Connection>({ isLost: false, lastAnswerAt: Date.now() });
/** The page is open under another name than the server's own, so that no change can succeed. */
export const isAddressWrong = createSignal(false);
/** The session ended while the page was in use. */
export const isSessionOver = createSignal(false);
/** The number of milliseconds by which this machine's clock is behind that of the server. */
let clockOffsetMs = 0;
let failures = 0;

/** The time by the server's clock, so that a wrong clock of this machine does no harm. */
export function serverNow(): number {
  return Date.now() + clockOffsetMs;
}

/** Sets the token that every change is sent with from here on; null after signing out. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const isChange = CHANGING.has(init.method ?? 'GET');
  const response = await sendOnce(input, init);
  if (!isChange || response.status !== 403 || !(await isCsrfProblem(response))) return response;
  if (!(await readCsrfToken())) return response;
  const second = await sendOnce(input, init);
  isAddressWrong.set(second.status === 403 && (await isCsrfProblem(second)));
  return second;
}

async function sendOnce(input: string | URL | Request, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (csrfToken !== null && CHANGING.has(init.method ?? 'GET')) headers.set(CSRF_HEADER, csrfToken);
  try {
    const response = await fetch(input, { ...init, headers });
    noteAnswer(response);
    return response;
  } catch (error) {
    if (init.signal?.aborted !== true) noteFailure();
    throw error;
  }
}

function noteAnswer(response: Response): void {
  failures = 0;
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header has whole seconds: smaller differences say nothing.
  if (!Number.isNaN(date) && Math.abs(date - Date.now()) > 2000) clockOffsetMs = date - Date.now();
  else clockOffsetMs = 0;
  connection.set({ isLost: false, lastAnswerAt: Date.now() });
  if (response.status === 401 && csrfToken !== null) isSessionOver.set(true);
}

function noteFailure(): void {
  failures += 1;
  if (failures >= FAILURES_BEFORE_BANNER) connection.set({ ...connection.get(), isLost: true });
}

async function isCsrfProblem(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'invalid_csrf_token';
}

/** Reads the session's token again; false when there is no session. */
async function readCsrfToken(): Promise<boolean> {
  const response = await sendOnce(SESSION_PATH, { credentials: 'same-origin' });
  if (!response.ok) return false;
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== 'object' || body === null || !('session' in body)) return false;
  const { session } = body;
  if (typeof session !== 'object' || session === null || !('csrf_token' in session)) return false;
  csrfToken = String(session.csrf_token);
  return true;
}

export const client = createClient({
  baseUrl: '',
  token: null,
  credentials: 'same-origin',
  fetch: send,
});

/** Sent even when the page is being left: what was decided must not be lost with it. */
export const lastingClient = createClient({
  baseUrl: '',
  token: null,
  credentials: 'same-origin',
  fetch: (input, init) => send(input, { ...init, keepalive: true }),
});

/** An answer of the API that is no success, or none at all. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | null;
  /** The id under which the server logged the request; null without a response. */
  readonly requestId: string | null;

  constructor({ status, error, retryAfterSeconds, requestId }: Extract<CallResult<Endpoint>, { ok: false }>) {
    super(error);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = error;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }
}

type Success<E extends Endpoint> = Extract<CallResult<E>, { ok: true }>;

/** The body of a successful answer; throws `ApiProblem` for every other one. */
export async function bodyOf<E extends Endpoint>(call: Promise<CallResult<E>>): Promise<Success<E>['body']> {
  const result = await call;
  if (!result.ok) throw new ApiProblem(result);
  return result.body;
}

/** Calls the API and returns the body of a successful answer; throws `ApiProblem` for every other one. */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...input: InputArguments<E>
): Promise<Success<E>['body']> {
  return await bodyOf(client.call(endpoint, ...input));
}

/** The code of a problem; null for what is no answer of the API. */
export function codeOf(error: unknown): string | null {
  return error instanceof ApiProblem ? error.code : null;
}
