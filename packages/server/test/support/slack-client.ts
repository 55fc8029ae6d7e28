import * as slack from '@culprit/contract/alerts/slack';
import { createClient } from '@culprit/contract/endpoints/client';
import type { SlackApp } from '../../src/notify/slack/slack-settings.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { createSession } from '../../src/workspace/accounts/create-session.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { expectOk } from './expect-ok.ts';
import type { SlackChannel, SlackServer } from './slack-server.ts';

/** Settings of a service that uses the server as its Slack. */
export function slackAppOf(server: SlackServer, changes: Partial<SlackApp> = {}): SlackApp {
  return {
    clientId: server.clientId,
    clientSecret: new Secret(server.clientSecret),
    url: server.url,
    requestTimeoutMs: 1_000,
    ...changes,
  };
}

/** A channel that nobody else has. */
export function newChannel(changes: Partial<SlackChannel> = {}): SlackChannel {
  return { teamId: 'T1', teamName: 'Acme', channelId: `C${newUuid()}`, channelName: '#alerts', ...changes };
}

/** Goes where Slack sends a browser, whatever host the address names; gives where it ends, and the cookies it was set. */
export async function followCallback(
  culprit: Pick<TestCulprit, 'url'>,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ location: string; cookies: string[] }> {
  const { pathname, search } = new URL(location);
  const response = await fetch(culprit.url + pathname + search, { redirect: 'manual', headers });
  const next = response.headers.get('location');
  if (response.status !== 302 || next === null) {
    throw new Error(`answered ${response.status} ${await response.text()}`);
  }
  return { location: next, cookies: response.headers.getSetCookie() };
}

/** What a member does with the destinations of one project, over HTTP, by bearer token and a browser of theirs. */
export interface SlackClient {
  /** The cookie of a new session of the member. */
  sessionCookie(): Promise<string>;
  installUrl(returnTo?: string): Promise<string>;
  /** The whole way; gives where it ends. */
  connect(choice: SlackChannel | 'cancels', returnTo?: string): Promise<string>;
  /** The same, and the destination it made or changed. */
  destination(channel?: SlackChannel): Promise<slack.SlackDestination>;
  /** At most 100, newest first. */
  list(): Promise<slack.SlackDestination[]>;
}

export function slackClient(
  culprit: Pick<TestCulprit, 'url' | 'database'>,
  server: SlackServer,
  project: Pick<TestProject, 'projectId' | 'memberToken'>,
): SlackClient {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });

  async function installUrl(returnTo?: string): Promise<string> {
    const query = {
      project_id: project.projectId,
      ...(returnTo === undefined ? {} : { return_to: returnTo }),
    };
    return expectOk(await api.call(slack.getSlackInstallUrl, { query })).install_url;
  }

  async function connect(choice: SlackChannel | 'cancels', returnTo?: string): Promise<string> {
    const url = server.visit(await installUrl(returnTo), choice);
    return (await followCallback(culprit, url, { cookie: await sessionCookie() })).location;
  }

  async function sessionCookie(): Promise<string> {
    const [row] = await culprit.database.query<{ user_id: string; organization_id: string }>(
      {
        name: 'test-person-of-token',
        text: 'select user_id, organization_id from member_tokens where token_hash = $1',
      },
      [tokenHash(project.memberToken)],
    );
    if (row === undefined) throw new Error('nobody has the token');
    const { secret } = await culprit.database.transaction((transaction) =>
      createSession(transaction, {
        userId: row.user_id,
        organizationId: row.organization_id,
        presentedCookie: null,
      }),
    );
    return `svc_session=${secret.reveal()}`;
  }

  async function list(): Promise<slack.SlackDestination[]> {
    const request = { params: { id: project.projectId }, query: { limit: 100 } };
    return expectOk(await api.call(slack.listSlackDestinations, request)).destinations;
  }

  return {
    sessionCookie,
    installUrl,
    connect,
    list,
    async destination(channel = newChannel()) {
      const location = await connect(channel);
      const made = (await list()).find((each) => each.slack_channel_id === channel.channelId);
      if (made === undefined) throw new Error(`not connected: ${location}`);
      return made;
    },
  };
}
