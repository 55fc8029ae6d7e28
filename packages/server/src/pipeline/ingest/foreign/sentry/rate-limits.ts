import type { ResolvedCapturePolicy } from '@culprit/evidence/capture/capture-policy';

/**
 * The header `X-Sentry-Rate-Limits`, by which libraries learn what not to send (docs/contract/foreign-protocols.md 3.7):
 * whole seconds and all five parts, since older versions for Python fail on fractions and on parts left out.
 * @param retryAfterSeconds of a request that was refused by its rate
 */
export function rateLimits(policy: ResolvedCapturePolicy, retryAfterSeconds: number | null): string {
  const parts = [NEVER_TAKEN];
  if (policy.capture_request_events !== 'all') parts.push(REQUESTS_OFF);
  if (policy.capture_logs === 'off') parts.push(LOGS_OFF);
  if (retryAfterSeconds !== null) parts.unshift(`${retryAfterSeconds}:${RATED}:key:rate_limited:`);
  return parts.join(', ');
}

const NEVER_TAKEN =
  '3600:session;replay;profile;profile_chunk;profile_chunk_ui;trace_metric;trace_metric_byte;metric_bucket;attachment:organization:not_taken:';
/** Ten minutes, so that a change of the policy acts soon. */
const REQUESTS_OFF = '600:transaction;span:organization:capture_policy:';
const LOGS_OFF = '600:log_item;log_byte:organization:capture_policy:';
/** Without `monitor`: check-ins have a limit of their own, and a job that sends none would seem to have failed. */
const RATED = 'default;error;security;feedback;transaction;span;log_item';
