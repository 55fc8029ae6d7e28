import { type Endpoint, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import type { JsonValue } from '@culprit/evidence/events/envelope/json';
import type { OperationRequest } from '../security/operation-request.ts';

/** A request in the making. Path and query are escaped already, so that escapes can be broken. */
export interface Draft {
  method: string;
  params: Map<string, string>;
  query: [name: string, value: string | null][];
  headers: [name: string, value: string][];
  /** The JSON of the body, undefined without one; `bytes` stand in its place where it is no JSON, or once that is broken. */
  json: JsonValue | undefined;
  bytes: Uint8Array | null;
  /** What was done to it, in order. */
  breaks: string[];
  /** It must not succeed, whoever sends it. */
  isWrong: boolean;
}

/** The request of an operation as it should be. */
export function draftOf(
  endpoint: Endpoint,
  request: OperationRequest,
  presented: Readonly<Record<string, string>>,
): Draft {
  const headers = Object.entries(presented).filter(([name]) => name !== 'cookie');
  const cookies = [presented.cookie ?? '', request.cookie ?? ''].filter((cookie) => cookie !== '');
  if (cookies.length > 0) headers.push(['cookie', cookies.join('; ')]);
  return {
    method: endpoint.method,
    params: new Map(Object.entries(request.params ?? {}).map(([name, value]) => [name, escaped(value)])),
    query: Object.entries(request.query ?? {}).map(([name, value]) => [name, escaped(value)]),
    headers,
    json: request.body === undefined ? undefined : structuredClone(request.body),
    bytes: request.bytes ?? null,
    breaks: [],
    isWrong: false,
  };
}

/** Escapes a text as it travels in a target; what cannot be encoded travels as U+FFFD. */
export function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Path and query. */
export function targetOf(endpoint: Endpoint, { params, query }: Draft): string {
  const path = pathParameterNames(endpoint.path).reduce(
    (text, name) => text.replace(`:${name}`, () => params.get(name) ?? ''),
    endpoint.path,
  );
  const search = query.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&');
  return search === '' ? path : `${path}?${search}`;
}

/** The bytes of the body; null for a request without one. */
export function bytesOf({ json, bytes }: Draft): Uint8Array | null {
  if (bytes !== null) return bytes;
  return json === undefined ? null : Buffer.from(JSON.stringify(json));
}
