import { isJsonObject } from '@culprit/evidence/events/envelope/json';

/** What came back, with the body as JSON; null when there was none. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The body of a `202` of `POST /v1/events`. */
export interface Acknowledgement {
  accepted: number;
  rejected: number;
  errors: { index: number; reason: string }[];
}

interface SentRequest {
  method?: string;
  /** Sent as a bearer token; null sends no `Authorization`. */
  token?: string | null;
  /** `Content-Type` is JSON unless one is named here. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** In place of `body`: sent as JSON; undefined sends no body. */
  json?: unknown;
}

/** One request over real HTTP. */
export async function sendRequest(url: string, request: SentRequest = {}): Promise<Answer> {
  const { method = 'POST', token = null, json } = request;
  const body = json === undefined ? request.body : JSON.stringify(json);
  const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** Posts a batch to `/v1/events` of a server. */
export async function sendEvents(
  serverUrl: string,
  token: string | null,
  events: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await sendRequest(`${serverUrl}/v1/events`, { token, headers, body: JSON.stringify({ events }) });
}

/** Reads a `202`; throws for every other answer, so that no test goes on with events that were not accepted. */
export function acknowledgement({ status, body }: Answer): Acknowledgement {
  if (status !== 202 || !isJsonObject(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  const { accepted, rejected, errors } = body;
  if (typeof accepted !== 'number' || typeof rejected !== 'number' || !Array.isArray(errors)) {
    throw new Error(`no acknowledgement: ${JSON.stringify(body)}`);
  }
  return {
    accepted,
    rejected,
    errors: errors.map((error) => {
      if (!isJsonObject(error) || typeof error.index !== 'number' || typeof error.reason !== 'string') {
        throw new Error(`no error entry: ${JSON.stringify(error)}`);
      }
      return { index: error.index, reason: error.reason };
    }),
  };
}
