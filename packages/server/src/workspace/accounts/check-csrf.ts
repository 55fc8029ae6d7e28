import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../platform/secrets/secret.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { SessionCaller } from './authenticate-session.ts';
import { hasCsrfToken } from './session-secrets.ts';

/**
 * Judges a change that is asked for by cookie: the session's CSRF token must come in its header, and the page, where
 * the browser names it, must be one of ours (docs/contract/account.md 2.6). Bearer requests need neither.
 * @param ownOrigins of the app URL, the base URL and the configured ones
 */
export function checkCsrf(
  caller: Member | SessionCaller,
  headers: IncomingHttpHeaders,
  options: { csrfKey: Secret<Buffer>; ownOrigins: ReadonlySet<string> },
): 'invalid_csrf_token' | null {
  if (!('sessionId' in caller)) return null;
  const { origin } = headers;
  if (origin !== undefined && !options.ownOrigins.has(origin)) return 'invalid_csrf_token';
  return hasCsrfToken(options.csrfKey, caller.sessionId, headers) ? null : 'invalid_csrf_token';
}
