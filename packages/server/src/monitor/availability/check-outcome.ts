import type {
  CheckErrorKind,
  CheckMethod,
  CheckResultStatus,
} from '@culprit/contract/monitor/availability-checks';
import type { OutboundErrorKind } from '../../platform/outbound/outbound-failure.ts';
import type { GuardedResult } from '../../platform/outbound/send-guarded.ts';

/** The request of a check, and the answer that it expects. */
export interface CheckTarget {
  url: string;
  method: CheckMethod;
  expectedStatusMin: number;
  expectedStatusMax: number;
  timeoutMs: number;
}

/** The result of one request (docs/contract/account.md 7.5). */
export interface CheckOutcome {
  status: CheckResultStatus;
  /** Null: there was no answer, or none that counts. */
  httpStatus: number | null;
  errorKind: CheckErrorKind | null;
  durationMs: number;
  /** Without query and fragment. */
  finalUrl: string;
  redirectCount: number;
}

const FAILED: Readonly<Record<OutboundErrorKind, CheckResultStatus>> = {
  timeout: 'timeout',
  dns_no_answer: 'dns_error',
  dns_failed: 'dns_error',
  tls_failed: 'tls_error',
  connection_failed: 'connection_error',
  invalid_response: 'connection_error',
  redirect_target_blocked: 'redirect_blocked',
  too_many_redirects: 'redirect_blocked',
  address_blocked: 'security_blocked',
  internal: 'internal_error',
};

/** Fixed, so that nothing of an address or an answer can be in them. */
const SENTENCES: Readonly<Record<CheckErrorKind, string>> = {
  status_out_of_range: 'The status of the response is outside the expected range.',
  timeout: 'There was no response within the time limit.',
  dns_no_answer: 'The name has no address.',
  dns_failed: 'The name could not be resolved.',
  tls_failed: 'No secure connection could be established: the handshake or the certificate failed.',
  connection_failed: 'The connection was refused, failed or could not be established.',
  invalid_response:
    'The server was reached, but its response is not valid HTTP or has more than 64 KB of headers.',
  redirect_target_blocked: 'A redirect leads to an address that is not allowed.',
  too_many_redirects: 'There were more than five redirects.',
  address_blocked: 'The address is not allowed.',
  internal: 'The check could not be run here. It counts as neither success nor failure.',
};

/** The sentence of an error kind. */
export function errorMessage(kind: CheckErrorKind | null): string | null {
  return kind === null ? null : SENTENCES[kind];
}

/** Returns true if a run shows the state of the target. */
export function isDecisive({ status }: Pick<CheckOutcome, 'status'>): boolean {
  return status !== 'internal_error';
}

/** Judges what the one way out brought back. */
export function outcomeOf(result: GuardedResult, target: CheckTarget): CheckOutcome {
  const way = {
    durationMs: Math.round(result.durationMs),
    finalUrl: withoutQuery(result.finalUrl),
    redirectCount: result.redirectCount,
  };
  if (result.kind === 'failed') {
    const { errorKind } = result;
    return { status: FAILED[errorKind], httpStatus: null, errorKind, ...way };
  }
  const isExpected = result.status >= target.expectedStatusMin && result.status <= target.expectedStatusMax;
  return {
    status: isExpected ? 'success' : 'http_status_mismatch',
    httpStatus: result.status,
    errorKind: isExpected ? null : 'status_out_of_range',
    ...way,
  };
}

/** The outcome of a run that broke down on our side. */
export function failedHere({ url }: CheckTarget): CheckOutcome {
  const way = { durationMs: 0, finalUrl: withoutQuery(url), redirectCount: 0 };
  return { status: 'internal_error', httpStatus: null, errorKind: 'internal', ...way };
}

/** Returns an address in the form that can be stored: query values are private (docs/contract/account.md 7.6). */
export function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
