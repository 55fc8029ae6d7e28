import type {
  AvailabilityCheck,
  CheckErrorKind,
  CheckResultStatus,
  CheckTestResult,
  PausedReason,
} from '@culprit/contract/monitor/availability-checks';
import { duration, plural } from '../format/numbers.ts';

const STATUS_WORDS: Readonly<Record<CheckResultStatus, string>> = {
  success: 'success',
  http_status_mismatch: 'other status',
  timeout: 'too slow',
  dns_error: 'name not found',
  tls_error: 'certificate refused',
  connection_error: 'no valid answer',
  redirect_blocked: 'redirect refused',
  security_blocked: 'address refused',
  internal_error: 'not tried',
};

const ERROR_WORDS: Readonly<Record<CheckErrorKind, string>> = {
  status_out_of_range: 'It answered with a status outside the range.',
  timeout: 'It did not answer within the time limit.',
  dns_no_answer: 'The name server did not answer.',
  dns_failed: 'The name has no address.',
  tls_failed: 'The certificate or the handshake failed.',
  connection_failed: 'The connection was refused or broken.',
  invalid_response: 'It answered, but not with valid HTTP, or with more than 64 KB of headers.',
  redirect_target_blocked: 'It redirects to an address that is not allowed.',
  too_many_redirects: 'It redirects more than five times.',
  address_blocked: 'This server does not allow that address.',
  internal: 'Culprit could not run the check. It counts as neither success nor failure.',
};

const PAUSED_WORDS: Readonly<Record<PausedReason, string>> = {
  disabled: 'disabled',
  plan_check_limit: 'the plan includes fewer checks; the oldest continue',
  plan_interval_limit: 'the plan does not include intervals as short as this',
};

export function statusWords(status: CheckResultStatus): string {
  return STATUS_WORDS[status] ?? status;
}

export function errorWords(kind: CheckErrorKind | null): string {
  return kind === null ? '' : (ERROR_WORDS[kind] ?? kind);
}

export function pausedWords(reason: PausedReason | null): string {
  return reason === null ? '' : (PAUSED_WORDS[reason] ?? reason);
}

/** "GET 200–399, every 60 s". */
export function requestWords(check: AvailabilityCheck): string {
  const { method, expected_status_min: min, expected_status_max: max, interval_seconds: seconds } = check;
  return `${method} ${min === max ? min : `${min}–${max}`}, every ${duration(seconds * 1000)}`;
}

interface Rhythm {
  method: string;
  url: string;
  intervalSeconds: number;
  failureThreshold: number;
}

/** Returns a sentence about the check before it is saved. */
export function checkSentence({ method, url, intervalSeconds, failureThreshold }: Rhythm): string {
  const every = duration(intervalSeconds * 1000);
  const after = duration(Math.max(0, failureThreshold - 1) * intervalSeconds * 1000);
  const target = url.trim() === '' ? 'the address' : url.trim();
  const failures =
    failureThreshold === 1
      ? 'at the first failure'
      : `after ${plural(failureThreshold, 'failure')} in a row (about ${after} after the first)`;
  return `Every ${every} ${method} ${target}; ${failures} an incident opens.`;
}

/** Returns the result of a test of an address in words. */
export function testWords(result: CheckTestResult): string {
  const { status, http_status: code, duration_ms: ms, redirect_count: redirects } = result;
  return [
    status === 'success' ? 'It would pass' : `It would fail: ${statusWords(status)}`,
    ...(code === null ? [] : [`status ${code}`]),
    `in ${duration(ms)}`,
    ...(redirects === 0 ? [] : [`over ${plural(redirects, 'redirect')}`]),
  ].join(', ');
}
