import type { ProblemCode } from '@culprit/contract/endpoints/problems';
import type { Problem } from '../platform/http/binding/problem.ts';

/** A refusal with a separate sentence. */
export class ToolFault extends Error {
  override name = 'ToolFault';
}

const WORDS: Partial<Record<ProblemCode, string>> = {
  invalid_member_token:
    'This token is unknown or was revoked. Create a member token with the access "build" (Settings, Tokens) and set it as SENTRY_AUTH_TOKEN.',
  forbidden: 'This token can only read. Create a member token with the access "build" or "full".',
  shared_access_suspended: 'Access to this project is paused by the plan of its owner.',
  project_not_found: 'This project no longer exists.',
  payload_too_large: 'The request is larger than Culprit accepts.',
  resource_limit_reached:
    'The queue is full: archives of this project are still being read, or too many chunks were sent. Try again in a few minutes.',
  service_unavailable: 'Culprit is busy or restarting. Try again in a few seconds.',
  internal_error: 'Something went wrong on the server. Its log has the details.',
  request_timeout: 'The request took too long, and nothing was changed. Try again.',
  outcome_unknown:
    'The request took too long, and part of it may have been done. Check the release, then run the command again.',
};

/** A problem in a sentence. */
export function wordsOf(problem: Problem): string {
  const { reason, code } = problem;
  const words = WORDS[code] ?? `Culprit refused the request (${code}).`;
  return reason === null ? words : `The request is not valid: ${reason.replace(/^[^:]*: (?=\w)/, '')}.`;
}
