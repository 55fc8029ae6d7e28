import type { Logger } from 'pino';
import type { GithubUnavailableError } from './github-request.ts';

/** Tells the operator why GitHub could not be used: often a setting of the GitHub application, which its word names. */
export function logGithubFailure(log: Logger, error: GithubUnavailableError): void {
  log.warn({ githubFailure: error.word }, 'GitHub could not be used for a sign-in');
}
