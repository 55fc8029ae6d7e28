import type { QueryOf } from '@culprit/contract/endpoint';
import type { getSlackInstallUrl as endpoint } from '@culprit/contract/slack';
import { Problem } from '../platform/http/problem.ts';
import { prefixedId } from '../platform/ids.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { isSlackInPlan } from './find-slack-destination.ts';
import { createState, stateCookie, stateHash } from './install-state.ts';
import { insertInstall } from './slack-installs.queries.ts';
import { authorizeUrl } from './slack-oauth.ts';
import type { SlackRoom } from './slack-room.ts';

/**
 * Begins to connect a channel (notifications.md 2.3).
 * @param isBrowser whether the caller came with a session: only a browser can keep the cookie
 * @returns where to send the browser, and the cookie it keeps meanwhile; null for bearer callers
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`, `upgrade_required`, `slack_not_configured`
 */
export async function startInstall(
  room: SlackRoom,
  member: Member,
  query: QueryOf<typeof endpoint>,
  isBrowser: boolean,
): Promise<{ installUrl: string; cookie: string | null }> {
  const { database, plans, slackApp } = room;
  const { userId } = member;
  const { projectId, plan } = await requireProject(database, plans, userId, query.project_id, 'admin');
  if (!isSlackInPlan(plans, plan)) throw new Problem('upgrade_required');
  if (slackApp === null) throw new Problem('slack_not_configured');
  const state = createState(room.stateKey);
  await insertInstall(database, stateHash(state), {
    userId,
    projectId,
    returnTo: query.return_to ?? `/projects/${prefixedId('proj', projectId)}/alerts`,
    isBrowserBound: isBrowser,
  });
  return {
    installUrl: authorizeUrl(slackApp, { redirectUri: room.callbackUrl, state }),
    cookie: isBrowser ? stateCookie(state, room.isCookieSecure) : null,
  };
}
