import type { getSlackInstallUrl as endpoint } from '@culprit/contract/alerts/slack';
import { Problem } from '../../platform/http/binding/problem.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { isSlackInPlan } from './find-slack-destination.ts';
import { createState, stateCookie, stateHash } from './install-state.ts';
import { insertInstall } from './slack-installs.queries.ts';
import { authorizeUrl, slackCallbackUrl } from './slack-oauth.ts';

/**
 * Begins to connect a channel (docs/contract/notifications.md 2.3).
 * @returns where to send the browser, and the cookie that it keeps until then; null for bearer callers, who have no
 * browser yet: the callback asks for a session of theirs
 * @throws Problem `upgrade_required`, `slack_not_configured`
 */
export async function startInstall(
  { database, plans, slackApp, keys, baseUrl, signIn }: Runtime,
  { access, caller, query }: ApiRequest<typeof endpoint>,
): Promise<{ installUrl: string; cookie: string | null }> {
  const { projectId, plan } = access;
  if (!isSlackInPlan(plans, plan)) throw new Problem('upgrade_required');
  if (slackApp === null) throw new Problem('slack_not_configured');
  const isBrowser = 'sessionId' in caller;
  const state = createState(keys.slackStates);
  await insertInstall(database, stateHash(state), {
    userId: caller.userId,
    projectId,
    returnTo: query.return_to ?? `/projects/${prefixedId('proj', projectId)}/alerts`,
    isBrowserBound: isBrowser,
  });
  return {
    installUrl: authorizeUrl(slackApp, { redirectUri: slackCallbackUrl(baseUrl), state }),
    cookie: isBrowser ? stateCookie(state, signIn.isCookieSecure) : null,
  };
}
