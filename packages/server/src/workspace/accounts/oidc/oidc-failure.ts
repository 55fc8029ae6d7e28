import type { OidcSignInFailure } from '@culprit/contract/workspace/oidc';
import type { Logger } from 'pino';
import type { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import type { Runtime } from '../../../runtime.ts';

/** Returns the page for a browser whose sign-in failed: it shows the reason and offers the other ways. */
export function failurePage({ appUrl }: Pick<Runtime, 'appUrl'>, failure: OidcSignInFailure): string {
  return `${appUrl}/login?error=${failure}`;
}

/** Logs for the operator why the provider could not be used: often a setting of the client there, which its word names. */
export function logOidcFailure(log: Logger, error: ProviderUnavailableError): void {
  log.warn({ oidcFailure: error.word }, 'the OpenID Connect provider could not be used for a sign-in');
}
