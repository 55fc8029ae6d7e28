import * as slack from '@culprit/contract/slack';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { deleteSlackDestination } from './delete-slack-destination.ts';
import { finishInstall } from './finish-install.ts';
import { listSlackDestinations } from './list-slack-destinations.ts';
import type { SlackRoom } from './slack-room.ts';
import { startInstall } from './start-install.ts';
import { testSlackDestination } from './test-slack-destination.ts';

/** Connected Slack channels of organizations (notifications.md 2). */
export function bindSlackRoutes<C extends Callers & { member: Member | SessionCaller }>(
  binder: Binder<C>,
  room: SlackRoom,
): void {
  binder.bind(slack.getSlackInstallUrl).to(async ({ caller, query }) => {
    const { installUrl, cookie } = await startInstall(room, caller, query, 'sessionId' in caller);
    return {
      status: 200,
      body: { install_url: installUrl },
      headers: setCookie(cookie),
    };
  });
  // Raw, because what is wrong with its query is a redirect too.
  binder.bind(slack.finishSlackInstall).toRaw(async (request) => {
    const { location, cookie } = await finishInstall(room, request);
    return { status: 302, headers: { location, ...setCookie(cookie) } };
  });
  binder.bind(slack.listSlackDestinations).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listSlackDestinations(room, caller, params.id, query),
  }));
  binder.bind(slack.testSlackDestination).to(async (context) => {
    const { caller, params } = context;
    const ids = { projectId: params.id, destinationId: params.destinationId };
    await testSlackDestination(room, caller, ids, context);
    return { status: 200, body: { delivered: true } };
  });
  binder.bind(slack.deleteSlackDestination).to(async (context) => {
    const { caller, params } = context;
    const ids = { projectId: params.id, destinationId: params.destinationId };
    await deleteSlackDestination(room, caller, ids, context);
    return { status: 204 };
  });
}

function setCookie(cookie: string | null): Record<string, string> {
  return cookie === null ? {} : { 'set-cookie': cookie };
}
