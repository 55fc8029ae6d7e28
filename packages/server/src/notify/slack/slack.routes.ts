import * as slack from '@culprit/contract/alerts/slack';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { deleteSlackDestination } from './delete-slack-destination.ts';
import { finishInstall } from './finish-install.ts';
import { checkDestinationsPage, listSlackDestinations } from './list-slack-destinations.ts';
import { startInstall } from './start-install.ts';
import { testSlackDestination } from './test-slack-destination.ts';

/** Connected Slack channels of organizations (docs/contract/notifications.md 2). */
export function bindSlackRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(slack.getSlackInstallUrl).to(async (request) => {
    const { installUrl, cookie } = await startInstall(runtime, request);
    return { status: 200, body: { install_url: installUrl }, headers: setCookie(cookie) };
  });
  // Raw, because what is wrong with its query is a redirect too.
  binder.bind(slack.finishSlackInstall).toRaw(async (request) => {
    const { location, cookie } = await finishInstall(runtime, request);
    return { status: 302, headers: { location, ...setCookie(cookie) } };
  });
  binder
    .bind(slack.listSlackDestinations)
    .checked(checkDestinationsPage)
    .answers((request) => listSlackDestinations(runtime, request));
  binder.bind(slack.testSlackDestination).to(async (request) => {
    await testSlackDestination(runtime, request);
    return { status: 200, body: { delivered: true } };
  });
  binder.bind(slack.deleteSlackDestination).answers((request) => deleteSlackDestination(runtime, request));
}

function setCookie(cookie: string | null): Record<string, string> {
  return cookie === null ? {} : { 'set-cookie': cookie };
}
