import { createHash } from 'node:crypto';
import type { logOutByProvider as endpoint } from '@culprit/contract/workspace/oidc';
import { invalidPayload } from '../../../platform/http/binding/payload-fault.ts';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { revokeProviderSessions } from '../sessions.queries.ts';
import {
  LOGOUT_TOKEN_SECONDS_MAX,
  type LogoutClaims,
  type LogoutFault,
  readLogoutClaims,
} from './logout-token.ts';
import { insertOidcLogout } from './oidc.queries.ts';
import type { OidcRuntime } from './oidc-runtime.ts';
import { CLOCK_TOLERANCE_SECONDS } from './oidc-settings.ts';
import { isSignedBy, keysOf, readSignedToken } from './signed-token.ts';

/**
 * Ends the sessions that a logout token of the provider names (docs/contract/team-workflow.md 9.2). Each token does so
 * once. Sessions of other ways to sign in and member tokens stay.
 * @throws Problem `invalid_payload` for every token that is not sound; the log has the reason
 */
export async function endProviderSessions(
  runtime: OidcRuntime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const claims = await readLogout(runtime, request.body);
  const ended =
    typeof claims === 'string'
      ? claims
      : await runtime.database.transaction(async (transaction) => {
          const hash = createHash('sha256').update(`${claims.issuer} ${claims.tokenId}`).digest();
          const seconds = LOGOUT_TOKEN_SECONDS_MAX + CLOCK_TOLERANCE_SECONDS;
          if (!(await insertOidcLogout(transaction, hash, seconds))) return 'used_before';
          return await revokeProviderSessions(transaction, claims);
        });
  if (typeof ended === 'string') {
    request.log.warn({ oidcFailure: ended }, 'a logout of the OpenID Connect provider was refused');
    throw invalidPayload('', 'must be a form with one sound `logout_token`');
  }
  for (const { sessionId, userId } of ended) {
    await recordAudit(runtime.database, request, {
      action: 'session.ended',
      actorUserId: userId,
      subject: `session:${sessionId}`,
      data: { reason: 'provider_logout' },
    });
  }
}

/** The claims of the token in a form; a word for the operator when there is none that is sound. */
async function readLogout(
  { oidc, oidcProvider }: OidcRuntime,
  form: Uint8Array,
): Promise<LogoutClaims | LogoutFault | string> {
  const [text, ...more] = new URLSearchParams(Buffer.from(form).toString()).getAll('logout_token');
  const token = text === undefined || more.length > 0 ? null : readSignedToken(text);
  if (token === null) return 'no_logout_token';
  try {
    const keys = await oidcProvider.readKeys((known) => keysOf(token, known));
    if (!isSignedBy(token, keys)) return 'wrong_signature';
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    return error.word;
  }
  const nowSeconds = Date.now() / 1000;
  return readLogoutClaims(token.claims, { issuer: oidc.issuer, clientId: oidc.clientId, nowSeconds });
}
