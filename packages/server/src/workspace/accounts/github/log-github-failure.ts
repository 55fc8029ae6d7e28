import type { Logger } from 'pino';
import type { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';

/**
 * Logs for the operator why GitHub could not be used: often a setting of the GitHub application, which its code names.
 */
export function logGithubFailure(log: Logger, error: ProviderUnavailableError): void {
  log.warn({ githubFailure: error.word }, 'GitHub could not be used for a sign-in');
}
