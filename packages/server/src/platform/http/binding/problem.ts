import { PROBLEM_STATUS, type ProblemCode } from '@culprit/contract/endpoints/problems';

interface ProblemOptions {
  /** Whole seconds for `Retry-After`; `503` has 5 without it (docs/contract/ingestion.md 3.5). */
  retryAfterSeconds?: number;
  /** Differs from the table only for broken or unfinished HTTP (408, 431). */
  status?: number;
  /** The fault and its place, in ASCII: sent in `X-Service-Problem`, since the body is only the code. */
  reason?: string;
}

/** Codes that leave open what is wrong, so that each refusal says it. */
export type ReasonedCode = 'invalid_query' | 'invalid_payload';

type ProblemArguments =
  | [code: Exclude<ProblemCode, ReasonedCode>, options?: ProblemOptions]
  | [code: ProblemCode, options: ProblemOptions & { reason: string }];

/** An expected failure of a request: thrown by operations, answered as `{ "error": code }`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly reason: string | null;

  constructor(...[code, options = {}]: ProblemArguments) {
    super(code);
    this.code = code;
    this.status = options.status ?? PROBLEM_STATUS[code];
    const isHarmlessToRepeat = this.status === 503 && code !== 'outcome_unknown';
    this.retryAfterSeconds = options.retryAfterSeconds ?? (isHarmlessToRepeat ? RETRY_AFTER_SECONDS : null);
    this.reason = options.reason ?? null;
  }
}

/** The time that a client waits after a `503` of ours. */
const RETRY_AFTER_SECONDS = 5;

/** Headers a problem carries beside its body. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = {};
  if (problem.status === 401) headers['www-authenticate'] = 'Bearer';
  // The size of the rest of the unfinished request is unknown.
  if (problem.status === 408) headers.connection = 'close';
  if (problem.retryAfterSeconds !== null) headers['retry-after'] = String(problem.retryAfterSeconds);
  if (problem.reason !== null) headers['x-service-problem'] = headerText(problem.reason);
  return headers;
}

const REASON_LENGTH_MAX = 500;

/** Printable ASCII of a bounded length, whatever the reason was made of. */
function headerText(text: string): string {
  const characters = [...text.slice(0, REASON_LENGTH_MAX)];
  return characters.map((character) => (character >= ' ' && character <= '~' ? character : '?')).join('');
}
