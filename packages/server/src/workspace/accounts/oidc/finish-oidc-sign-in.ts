import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { finishOidcSignIn as endpoint, OidcSignInFailure } from '@culprit/contract/workspace/oidc';
import type { Database } from '../../../platform/db/database.ts';
import { invalidQuery } from '../../../platform/http/binding/invalid-query.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ProviderUnavailableError } from '../../../platform/outbound/provider-request.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type AuditContext, auditFailedSignIn, auditSignIn } from '../audit-sign-in.ts';
import { createSession, type NewSession } from '../create-session.ts';
import { clearedStateCookie, codeVerifierOf, ownStateHash } from '../oauth-state.ts';
import { consumeProviderSignIn } from '../provider-sign-ins.queries.ts';
import { readSessionCookie, sessionCookies } from '../session-secrets.ts';
import type { SignedInPerson } from '../sign-in-person.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import type { GroupSyncOutcome } from './group-sync.ts';
import { failurePage, logOidcFailure } from './oidc-failure.ts';
import { readOidcIdentity } from './oidc-identity.ts';
import { nonceOf } from './oidc-nonce.ts';
import { OIDC_COOKIE, type OidcRuntime } from './oidc-runtime.ts';
import { isSameIssuer } from './oidc-settings.ts';
import { OidcRefusedError, signInOidcPerson } from './sign-in-oidc-person.ts';

type CallbackQuery = QueryOf<typeof endpoint>;

interface OidcSignIn {
  person: SignedInPerson;
  session: NewSession;
  groups: GroupSyncOutcome;
}

/**
 * Checks that a callback can be the provider's.
 * @throws Problem `invalid_query`
 */
export function checkOidcCallback({ oidc }: OidcRuntime, { query }: { query: CallbackQuery }): void {
  const { code, error, iss } = query;
  if (code === undefined && error === undefined) throw invalidQuery('code', 'is missing');
  if (iss !== undefined && !isSameIssuer(iss, oidc.issuer)) throw invalidQuery('iss', 'is not the provider');
}

/**
 * Ends a browser sign-in (docs/contract/team-workflow.md 9.2): consumes the state, redeems the code, checks the ID token,
 * finds or creates the account, starts a session. What a person can do nothing about here is a page of the dashboard
 * with a word for it.
 * @throws Problem `rate_limited`, `invalid_oauth_state`, and then the provider was not asked
 */
export async function finishOidcSignIn(
  runtime: OidcRuntime,
  request: ApiRequest<typeof endpoint, void>,
): Promise<{ location: string; cookies: string[] }> {
  const { state, error } = request.query;
  const { isCookieSecure } = runtime.signIn;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  // No other browser can use up a state.
  const hash = ownStateHash(OIDC_COOKIE, state, request.headers, isCookieSecure);
  const signIn = hash === null ? null : await consumeProviderSignIn(runtime.database, 'oidc', hash);
  if (state === undefined || signIn === null) {
    await auditFailedSignIn(runtime.database, request, { method: 'oidc', reason: 'invalid_oauth_state' });
    throw new Problem('invalid_oauth_state');
  }
  const outcome =
    error === undefined ? await signInWithCode(runtime, request, state) : failureOf(error, request);
  const cleared = clearedStateCookie(OIDC_COOKIE, isCookieSecure);
  if (typeof outcome === 'string') {
    await auditFailedSignIn(runtime.database, request, { method: 'oidc', reason: outcome });
    return { location: failurePage(runtime, outcome), cookies: [cleared] };
  }
  await auditSignIn(runtime.database, request, { ...outcome, method: 'oidc' });
  await auditGroups(runtime.database, request, outcome.person.userId, outcome.groups);
  const secret = outcome.session.secret.reveal();
  return {
    // Written as an address, so that a path with letters beyond ASCII is a sound header.
    location: new URL(runtime.appUrl + signIn.returnTo).href,
    cookies: [...sessionCookies(secret, isCookieSecure, runtime.oidc.sessionSeconds), cleared],
  };
}

/** The provider sent the browser back without a code. Anything but the person's own no is a fault of the set-up. */
function failureOf(error: string, { log }: Pick<ApiRequest<typeof endpoint>, 'log'>): OidcSignInFailure {
  if (error === 'access_denied') return 'oidc_cancelled';
  logOidcFailure(log, new ProviderUnavailableError(error));
  return 'oidc_unavailable';
}

async function signInWithCode(
  runtime: OidcRuntime,
  { query, headers, clientAddress, log }: ApiRequest<typeof endpoint, void>,
  state: string,
): Promise<OidcSignIn | OidcSignInFailure> {
  const key = runtime.keys.oidcSignIns;
  try {
    const claims = await runtime.oidcProvider.readClaims({
      parameters: parametersOf(query),
      redirectUri: runtime.oidcCallbackUrl,
      codeVerifier: codeVerifierOf(key, state),
      nonce: nonceOf(key, state),
    });
    const identity = readOidcIdentity(claims, runtime.oidc);
    return await runtime.database.transaction(async (transaction) => {
      const person = await signInOidcPerson(transaction, runtime, identity);
      const groups = await runtime.syncGroups(transaction, {
        userId: person.userId,
        groups: identity.groups,
      });
      const session = await createSession(transaction, {
        ...person,
        presentedCookie: readSessionCookie(headers),
        origin: { clientAddress, userAgent: headers['user-agent'] },
        lifetimeSeconds: runtime.oidc.sessionSeconds,
        provider: { issuer: identity.issuer, sid: identity.sid },
      });
      return { person, session, groups };
    });
  } catch (error) {
    if (error instanceof OidcRefusedError) return error.reason;
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logOidcFailure(log, error);
    return 'oidc_unavailable';
  }
}

function parametersOf({ code, iss }: CallbackQuery): URLSearchParams {
  return new URLSearchParams({
    ...(code === undefined ? {} : { code }),
    ...(iss === undefined ? {} : { iss }),
  });
}

/** Records what the groups of a person changed at their sign-in, and that the provider did not say them. */
async function auditGroups(
  database: Database,
  context: AuditContext,
  userId: string,
  { changes, teamChanges, isGroupsMissing }: GroupSyncOutcome,
): Promise<void> {
  const subject = `user:${userId}`;
  if (isGroupsMissing) {
    await recordAudit(database, context, { action: 'oidc_groups_missing', actorUserId: userId, subject });
  }
  for (const { projectId, organizationId, from, to } of changes) {
    await recordAudit(database, context, {
      action: from === null ? 'member.added' : to === null ? 'member.removed' : 'member.role_changed',
      actorUserId: userId,
      organizationId,
      projectId,
      subject,
      data: { from, to, source: 'oidc' },
    });
  }
  for (const { teamId, organizationId, slug, isAdded } of teamChanges) {
    await recordAudit(database, context, {
      action: isAdded ? 'team.member_added' : 'team.member_removed',
      actorUserId: userId,
      organizationId,
      subject: `team:${teamId}`,
      data: { slug, source: 'oidc' },
    });
  }
}
