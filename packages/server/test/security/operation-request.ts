import { type Endpoint, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { firstText } from '../support/first-text.ts';

/** What is asked of an operation: everything but who asks. */
export interface OperationRequest {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: JsonObject;
  /** In place of a JSON body. */
  bytes?: Uint8Array<ArrayBuffer>;
  /** Name and value of a cookie that the operation needs beside the caller's credential. */
  cookie?: string;
}

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends it over real HTTP, with what a caller presents. Redirects are answers like any other. */
export async function sendOperation(
  serverUrl: string,
  endpoint: Endpoint,
  request: OperationRequest,
  presented: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const headers = new Headers(presented);
  const cookies = [headers.get('cookie'), request.cookie ?? null].filter((cookie) => cookie !== null);
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  if (request.body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(serverUrl + targetOf(endpoint, request), {
    method: endpoint.method,
    headers,
    redirect: 'manual',
    ...(request.bytes === undefined
      ? request.body === undefined
        ? {}
        : { body: JSON.stringify(request.body) }
      : { body: request.bytes }),
  });
  return { status: response.status, headers: response.headers, text: await firstText(response) };
}

/** Path and query. Parameters are escaped unless they hold an escape already. */
function targetOf(endpoint: Endpoint, { params = {}, query = {} }: OperationRequest): string {
  const path = pathParameterNames(endpoint.path).reduce((text, name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`the request of ${endpoint.id} has no ${name}`);
    return text.replace(`:${name}`, () => (value.includes('%') ? value : encodeURIComponent(value)));
  }, endpoint.path);
  const search = new URLSearchParams(query);
  return search.size === 0 ? path : `${path}?${search}`;
}
