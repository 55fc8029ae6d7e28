import { PROBLEM_STATUS, type ProblemCode } from '@culprit/contract/problems';

export interface ProblemOptions {
  /** Whole seconds for `Retry-After`; `503` has 5 without it (ingestion.md 3.5). */
  retryAfterSeconds?: number;
  /** Differs from the table only for broken or unfinished HTTP (408, 431). */
  status?: number;
}

/** An expected failure of a request: thrown by operations, answered as `{ "error": code }`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly retryAfterSeconds: number | null;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(code);
    this.code = code;
    this.status = options.status ?? PROBLEM_STATUS[code];
    this.retryAfterSeconds = options.retryAfterSeconds ?? (this.status === 503 ? RETRY_AFTER_SECONDS : null);
  }
}

/** What a client waits after a `503` of ours. */
const RETRY_AFTER_SECONDS = 5;

/** Headers a problem carries beside its body. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = {};
  if (problem.status === 401) headers['www-authenticate'] = 'Bearer';
  // Nobody knows how much of the unfinished request is still to come.
  if (problem.status === 408) headers.connection = 'close';
  if (problem.retryAfterSeconds !== null) headers['retry-after'] = String(problem.retryAfterSeconds);
  return headers;
}
