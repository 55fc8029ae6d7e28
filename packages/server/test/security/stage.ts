import { type Endpoint, groupOf } from '@culprit/contract/endpoints/endpoint';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { readAllowedTarget } from '../../src/platform/outbound/allow-list.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestCulpritOptions } from '../support/culprit.ts';
import { personWith, settingsFor } from '../support/github-client.ts';
import { type GithubServer, startGithubServer } from '../support/github-server.ts';
import { oidcSettingsFor } from '../support/oidc-client.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { invite, newAddress } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import { slackAppOf } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';
import type { CallerStage } from './callers.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { createTenant } from './tenant.ts';

/** A service on which every operation can succeed: plans as hosted, a GitHub, a Slack, mail that can be read. */
export interface Theatre {
  culprit: TestCulprit;
  github: GithubServer;
  oidc: OidcServer;
  slack: SlackServer;
  receiver: Receiver;
  /** New tenants, and the credentials of callers that are none. */
  newStage(): Promise<CallerStage>;
  stop(): Promise<void>;
}

/** Starts one. Sign-in is as good as unlimited: all callers have one address. */
export async function openTheatre(options: TestCulpritOptions = {}): Promise<Theatre> {
  const github = await startGithubServer();
  github.addPerson(personWith(1, newAddress('github')));
  const oidc = await startOidcServer();
  oidc.people.set('ada', { email: newAddress('oidc'), email_verified: true });
  const slack = await startSlackServer();
  const receiver = await startReceiver();
  const culprit = await startCulprit({
    plans: HOSTED,
    github: settingsFor(github),
    oidc: oidcSettingsFor(oidc),
    slack: slackAppOf(slack),
    signIn: { requestsPerMinute: 1_000_000 },
    // Checks and tests ask the receiver too, for which there is no exception (docs/contract/notifications.md 5.4).
    outbound: { allowlist: [readAllowedTarget('127.0.0.1')] },
    ...options,
  });
  oidc.serve(culprit.baseUrl);

  async function newStage(): Promise<CallerStage> {
    const [tenant, foreign, host] = await Promise.all([
      createTenant(culprit, 'home'),
      createTenant(culprit, 'foreign'),
      createTenant(culprit, 'host'),
    ]);
    const { projectId, memberToken } = tenant.project;
    const request = (method: string, path: string, body?: unknown) =>
      sendRequest(culprit.url + path, { method, token: memberToken, body: JSON.stringify(body) });
    const { token } = await invite(culprit, { request }, projectId, newAddress('invited'));
    const { body } = await request('POST', `/v1/projects/${projectId}/probes/activate`, {
      label_pattern: '*',
    });
    const triggerToken = isJsonObject(body) ? body.trigger_token : undefined;
    if (typeof triggerToken !== 'string') throw new Error(`no trigger token: ${JSON.stringify(body)}`);
    return {
      culprit,
      github,
      oidc,
      slack,
      receiver,
      tenant,
      foreign,
      host,
      inviteToken: token,
      triggerToken,
    };
  }

  return {
    culprit,
    github,
    oidc,
    slack,
    receiver,
    newStage,
    async stop() {
      await culprit.stop();
      await Promise.all([github.close(), oidc.close(), slack.close(), receiver.close()]);
    },
  };
}

/**
 * Operations that leave people with another organization or plan, or with no account: not for the stage of the others.
 */
export function changesPeople(endpoint: Endpoint): boolean {
  return (
    groupOf(endpoint) === 'billing' ||
    ['createProject', 'deleteAccount', 'confirmEmailChange'].includes(endpoint.id)
  );
}
