import * as oidc from '@culprit/contract/workspace/oidc';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { answerNotConfigured } from './not-configured.ts';
import { endProviderSessions } from './oidc/end-provider-sessions.ts';
import { checkOidcCallback, finishOidcSignIn } from './oidc/finish-oidc-sign-in.ts';
import type { SyncGroups } from './oidc/group-sync.ts';
import { openOidc } from './oidc/oidc-runtime.ts';
import { startOidcSignIn } from './oidc/start-oidc-sign-in.ts';

/**
 * Sign-in with OpenID Connect (docs/contract/team-workflow.md 9). Without a provider all answer `auth_not_configured`,
 * whatever is asked.
 */
export function bindOidcRoutes(binder: Binder<ApiCallers>, runtime: Runtime, syncGroups: SyncGroups): void {
  const withOidc = openOidc(runtime, syncGroups);
  if (withOidc === null) {
    for (const endpoint of [oidc.startOidcSignIn, oidc.finishOidcSignIn, oidc.logOutByProvider]) {
      binder.bind(endpoint).toRaw(answerNotConfigured);
    }
    return;
  }
  binder.bind(oidc.startOidcSignIn).to(async (request) => {
    const { location, cookie } = await startOidcSignIn(withOidc, request);
    return { status: 302, headers: { location, ...(cookie === null ? {} : { 'set-cookie': cookie }) } };
  });
  binder
    .bind(oidc.finishOidcSignIn)
    .checked((request) => checkOidcCallback(withOidc, request))
    .to(async (request) => {
      const { location, cookies } = await finishOidcSignIn(withOidc, request);
      return { status: 302, headers: { location, 'set-cookie': cookies } };
    });
  binder.bind(oidc.logOutByProvider).answers((request) => endProviderSessions(withOidc, request));
}
