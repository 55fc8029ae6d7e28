/** Why a foreign request ends without anything being taken (docs/contract/foreign-protocols.md 3.6). */
export interface ForeignRefusal {
  code: ForeignProblem;
  /** A sentence about the fault and what to do. ASCII, because it is also sent in a header. */
  detail: string;
  /** The wait of `rate_limited`. */
  retryAfterSeconds?: number;
}

export const FOREIGN_STATUS = {
  invalid_payload: 400,
  invalid_encoding: 400,
  key_missing: 401,
  key_unknown: 401,
  key_conflict: 401,
  project_token_in_dsn: 401,
  signature_invalid: 401,
  wrong_project_number: 403,
  origin_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  invalid_content_type: 415,
  rate_limited: 429,
  internal_error: 500,
  not_supported: 501,
  service_unavailable: 503,
} as const;

export type ForeignProblem = keyof typeof FOREIGN_STATUS;

export function refusal(code: ForeignProblem, detail: string): ForeignRefusal {
  return { code, detail };
}

export const UNAVAILABLE_NOW = refusal(
  'service_unavailable',
  'The service cannot store events right now. Nothing was accepted.',
);
