import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { problemWords } from '@culprit/mcp/words/problem-words';
import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { visibleLine } from '../output/visible-text.ts';

const SERVER_TROUBLE = 500;

/** Which credential and profile a call used, for words. */
export interface ProblemPlace {
  /** The name of the credential, which completes "the server does not accept …". */
  credential: string;
  profileName: string | null;
  isFromEnvironment: boolean;
}

interface Problem {
  code: string;
  status: number;
  retryAfterSeconds: number | null;
  requestId: string | null;
  /** The fault and its place, in the server's words. */
  reason?: string | null;
}

/** The words of a refusal. */
export function problemError(problem: Problem, place: ProblemPlace, endpoint: Endpoint | null): CliError {
  const { code, status, requestId, retryAfterSeconds, reason = null } = problem;
  const { says, hint, exit } = wordsOf(problem, endpoint);
  const told = withReason(says.replace('{credential}', place.credential), reason);
  return new CliError(withWait(told, code, retryAfterSeconds), {
    exit,
    code,
    hint: code === 'invalid_member_token' ? memberTokenHint(place) : hint,
    status,
    requestId,
  });
}

function wordsOf(
  { code, status }: Problem,
  endpoint: Endpoint | null,
): { says: string; hint: string | null; exit: ExitCode } {
  const known = problemWords(code);
  if (known !== null) return { says: known.says, hint: known.hint, exit: EXIT[known.kind] };
  if (status >= SERVER_TROUBLE) {
    return {
      says: `The server cannot answer now (${status}, ${visibleLine(code)}).`,
      hint: 'try again in a moment; for the reason: culprit doctor',
      exit: exitOfStatus(status),
    };
  }
  const what =
    endpoint === null
      ? 'The server'
      : `The server refuses to ${endpoint.summary.charAt(0).toLowerCase()}${endpoint.summary.slice(1)}:`;
  return {
    says: `${what} answers ${visibleLine(code)}.`.replace(': answers', ''),
    hint: null,
    exit: exitOfStatus(status),
  };
}

/** Returns the exit code of a refusal that has no message in this program. */
export function exitOfStatus(status: number): ExitCode {
  if (status === 401) return EXIT.auth;
  if (status === 403 || status === 409) return EXIT.refused;
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 400 || status === 413) return EXIT.usage;
  if (status === 429 || status >= 500) return EXIT.unreachable;
  return EXIT.failed;
}

function memberTokenHint({ profileName, isFromEnvironment }: ProblemPlace): string {
  if (isFromEnvironment) return 'unset CULPRIT_TOKEN, or set it to a token that is valid';
  return profileName === null ? 'culprit login' : `culprit login --profile ${profileName}`;
}

function withReason(says: string, reason: string | null): string {
  return reason === null ? says : `${says.replace(/\.$/, '')}: ${visibleLine(reason)}.`;
}

function withWait(says: string, code: string, retryAfterSeconds: number | null): string {
  if (retryAfterSeconds === null || (code !== 'rate_limited' && code !== 'monthly_quota_exceeded'))
    return says;
  const until = new Date(Date.now() + retryAfterSeconds * 1000).toISOString();
  return `${says} It can continue from ${until.slice(0, 16).replace('T', ' ')} UTC.`;
}
