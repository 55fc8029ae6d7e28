import type { Directive } from '../../../sdk-core/src/wire.ts';

/** The answer of the relay, for any server. */
export interface RelayAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON; null for an answer without a body. */
  body: string | null;
  /** The rest of the request is not worth reading. */
  closesConnection: boolean;
}

type RelayError =
  | 'origin_not_allowed'
  | 'method_not_allowed'
  | 'invalid_content_type'
  | 'payload_too_large'
  | 'rate_limited'
  | 'invalid_payload'
  | 'invalid_event'
  | 'relay_delivery_failed';

const STATUS: Readonly<Record<RelayError, number>> = {
  origin_not_allowed: 403,
  method_not_allowed: 405,
  invalid_content_type: 400,
  payload_too_large: 413,
  rate_limited: 429,
  invalid_payload: 400,
  invalid_event: 400,
  relay_delivery_failed: 500,
};

/** The outcomes of a call's events. */
interface Counts {
  accepted: number;
  errors: readonly string[];
}

const ALWAYS = { 'Cache-Control': 'no-store', Vary: 'Origin' };
const NOTHING: Counts = { accepted: 0, errors: [] };

/** A refusal, with the headers for pages of another origin when the origin was accepted. */
export function refuse(
  error: RelayError,
  origin: string | null,
  extra: Readonly<Record<string, string>> = {},
  { accepted, errors }: Counts = NOTHING,
): RelayAnswer {
  const body = { error, accepted, rejected: errors.length, errors };
  return answer(STATUS[error], origin, JSON.stringify(body), extra, error === 'payload_too_large');
}

/** All events were accepted. */
export function accept(accepted: number, origin: string, directives: readonly Directive[]): RelayAnswer {
  const probes = directives.length === 0 ? {} : { probe_directives: { active_probes: directives } };
  return answer(202, origin, JSON.stringify({ accepted, rejected: 0, errors: [], ...probes }));
}

/** The answer to the question of a browser whether it may send. */
export function allow(origin: string): RelayAnswer {
  return answer(204, origin, null, {
    'Access-Control-Allow-Methods': 'POST, OPTIONS',
    'Access-Control-Allow-Headers': 'content-type',
    'Access-Control-Max-Age': '600',
  });
}

function answer(
  status: number,
  origin: string | null,
  body: string | null,
  extra: Readonly<Record<string, string>> = {},
  closesConnection = false,
): RelayAnswer {
  const headers = {
    ...ALWAYS,
    ...(origin === null
      ? {}
      : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'Retry-After' }),
    ...(body === null ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...extra,
  };
  return { status, headers, body, closesConnection };
}
