/** Why a request got no answer, in the words of availability results (docs/contract/account.md 7.5). */
export type OutboundErrorKind =
  | 'timeout'
  | 'dns_no_answer'
  | 'dns_failed'
  | 'tls_failed'
  | 'connection_failed'
  /** The received bytes are not a readable HTTP answer. */
  | 'invalid_response'
  | 'address_blocked'
  | 'redirect_target_blocked'
  | 'too_many_redirects'
  | 'internal';

/** The same in the words of deliveries: `last_error` of docs/contract/notifications.md 3.8. */
export type OutboundErrorCode =
  | 'timeout'
  | 'dns_error'
  | 'tls_error'
  | 'connection_error'
  | 'invalid_response'
  | 'target_blocked'
  | 'internal_error';

const WORDS: Readonly<Record<OutboundErrorKind, OutboundErrorCode>> = {
  timeout: 'timeout',
  dns_no_answer: 'dns_error',
  dns_failed: 'dns_error',
  tls_failed: 'tls_error',
  connection_failed: 'connection_error',
  invalid_response: 'invalid_response',
  address_blocked: 'target_blocked',
  redirect_target_blocked: 'target_blocked',
  too_many_redirects: 'target_blocked',
  internal: 'internal_error',
};

/** Ends a request with a fixed word. The message is for our own log and holds nothing the target sent. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly errorKind: OutboundErrorKind;
  /** The status of the answer, if it failed only after its status line. */
  readonly status: number | null;

  constructor(errorKind: OutboundErrorKind, detail: string, status: number | null = null) {
    super(detail);
    this.errorKind = errorKind;
    this.status = status;
  }
}

export function outboundErrorCode(errorKind: OutboundErrorKind): OutboundErrorCode {
  return WORDS[errorKind];
}

/** The code of a system, TLS or HTTP client error, such as `ECONNREFUSED`: a fixed word of theirs, and no data. */
export function errorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return typeof code === 'string' ? code : 'unknown';
}
