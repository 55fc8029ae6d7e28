import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { personWith } from '../support/github-client.ts';
import type { GithubServer } from '../support/github-server.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import type { OidcServer } from '../support/oidc-server.ts';
import { organizationOf } from '../support/organizations.ts';
import { newAddress, type Person } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import type { SlackServer } from '../support/slack-server.ts';
import type { Receiver } from './receiver.ts';
import { type Actor, type Tenant, usualSession } from './tenant.ts';

/** Where requests are made up. */
export interface Stage {
  culprit: TestCulprit;
  github: GithubServer;
  oidc: OidcServer;
  slack: SlackServer;
  /** Where webhooks deliver to; everything is taken there. */
  receiver: Receiver;
  /** Whose things the requests are about. */
  tenant: Tenant;
  /** Somebody else, who invites the tenant's people and others into projects of their own. */
  host: Tenant;
}

/** Five at once are the limit. */
export async function switchProbesOff({ culprit, tenant }: Stage): Promise<void> {
  const owner = as(culprit, tenant.owner);
  const path = `/v1/projects/${tenant.project.projectId}/probes`;
  const { body } = await owner.request('GET', path);
  const probes = isJsonObject(body) && Array.isArray(body.probes) ? body.probes.filter(isJsonObject) : [];
  for (const { activation_id } of probes)
    await owner.request('POST', `${path}/deactivate`, { activation_id });
}

/** A minute has thirty polls, and an hour sixty messages of one person, whatever the settings. */
export async function forgetRates(culprit: TestCulprit): Promise<void> {
  await culprit.database.query({ name: 'test-forget-rates', text: 'delete from sign_in_rates' });
}

/** A plan allows few checks, so each purpose has one, by its name. */
export async function checkNamed(stage: Stage, name: string): Promise<string> {
  const { culprit, tenant, receiver } = stage;
  const owner = as(culprit, tenant.owner);
  const path = `/v1/projects/${tenant.project.projectId}/availability-checks`;
  const { body } = await owner.request('GET', path);
  const checks =
    isJsonObject(body) && Array.isArray(body.availability_checks) ? body.availability_checks : [];
  const found = checks.find((check) => isJsonObject(check) && check.name === name);
  if (found !== undefined) return textAt(found, 'check_id');
  const made = await owner.request('POST', path, newCheck(receiver, name));
  return textAt(made.body, 'check', 'check_id');
}

/** The id of the owner's heartbeat with this slug, which is made if it is not there. */
export async function heartbeatNamed({ culprit, tenant }: Stage, slug: string): Promise<string> {
  const owner = as(culprit, tenant.owner);
  const path = `/v1/projects/${tenant.project.projectId}/heartbeats`;
  const { body } = await owner.request('GET', path);
  const heartbeats = isJsonObject(body) && Array.isArray(body.heartbeats) ? body.heartbeats : [];
  const found = heartbeats.find((heartbeat) => isJsonObject(heartbeat) && heartbeat.slug === slug);
  if (found !== undefined) return textAt(found, 'heartbeat_id');
  const made = await owner.request('POST', path, newHeartbeat(slug));
  return textAt(made.body, 'heartbeat', 'heartbeat_id');
}

/** A heartbeat that is not judged. */
export function newHeartbeat(slug: string): JsonObject {
  return { slug, schedule: { type: 'interval', value: 1, unit: 'day' }, enabled: false };
}

/** A check that never runs. */
export function newCheck(receiver: Receiver, name: string): JsonObject {
  return { name, url: `${receiver.url}/checked`, interval_seconds: 300, enabled: false };
}

/** What the request that creates one left behind. */
export async function forgetCheck({ culprit, tenant }: Stage, name: string): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-forget-check',
      text: 'delete from availability_checks where project_id = $1 and name = $2',
    },
    [parseId(['proj'], tenant.project.projectId), name],
  );
}

/** Ten a minute are the limit. */
export async function forgetTests({ culprit }: Stage): Promise<void> {
  await culprit.database.query({ name: 'test-forget-tests', text: 'delete from availability_tests' });
}

let githubPeople = 1_000_000;

/** Somebody with an account at GitHub and none here. */
export function newGithubPerson(github: GithubServer): number {
  githubPeople += 1;
  github.addPerson(personWith(githubPeople, newAddress('github')));
  return githubPeople;
}

/** The mailed code with which somebody may delete their account. */
export async function deletionCode({ culprit }: Stage, owner: Actor): Promise<string> {
  // The one before may be so young that no other would be sent.
  await culprit.database.query(
    { name: 'test-forget-deletion', text: 'delete from account_deletion_codes where user_id = $1' },
    [owner.userId],
  );
  const session = await usualSession(culprit, owner, await organizationOf(culprit.database, owner.userId));
  const seen = (await mailsTo(culprit.mailDirectory, owner.email, 'Code to delete')).length;
  const { status } = await sendRequest(`${culprit.url}/v1/account/delete/request-otp`, {
    headers: { cookie: session.cookie, 'x-csrf-token': session.csrfToken },
    body: JSON.stringify({ confirmation_text: DELETION_PHRASE }),
  });
  if (status !== 200) throw new Error(`request-otp answered ${status}`);
  return codeIn(await nextMail(culprit.mailDirectory, owner.email, seen, 'Code to delete'));
}

/** A new address for somebody's account, with the codes that were mailed there and to the present one. */
export async function emailChange({ culprit, tenant }: Stage, actor: Actor): Promise<{ body: JsonObject }> {
  await culprit.database.query(
    { name: 'test-forget-change', text: 'delete from email_change_codes where user_id = $1' },
    [actor.userId],
  );
  // An earlier request may have changed the address.
  const [person] = await culprit.database.query<{ email: string }>(
    { name: 'test-current-address', text: 'select email from users where user_id = $1' },
    [actor.userId],
  );
  const current = person?.email ?? actor.email;
  const email = newAddress('moved');
  const CURRENT = 'Code to change your address';
  const seen = (await mailsTo(culprit.mailDirectory, current, CURRENT)).length;
  const session = await usualSession(culprit, actor, tenant.organizationId);
  const { status } = await sendRequest(`${culprit.url}/v1/account/email/request-code`, {
    headers: { cookie: session.cookie, 'x-csrf-token': session.csrfToken },
    body: JSON.stringify({ email }),
  });
  if (status !== 200) throw new Error(`request-code answered ${status}`);
  const [code, current_code] = [
    codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Code')),
    codeIn(await nextMail(culprit.mailDirectory, current, seen, CURRENT)),
  ];
  return { body: { email, code, current_code } };
}

/** Back to Free, as if no plan had ever been tried. */
export async function forgetPlan({ culprit }: Stage, owner: Actor): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-forget-plan',
      text: `update organizations set plan = 'free', trial_plan = null, trial_started_at = null, trial_ends_at = null,
          trial_converted_at = null, is_plan_set_by_operator = false, additional_units = 0
        where owner_user_id = $1`,
    },
    [owner.userId],
  );
}

/** Makes room for more: there may be ten, and the latest are still asked for. */
export async function forgetOldReportChannels({ culprit, tenant }: Stage): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-forget-report-channels',
      text: `delete from weekly_report_channels where channel_id in (select channel_id from weekly_report_channels
        where project_id = $1 and channel = 'slack' order by created_at desc, channel_id desc offset 5)`,
    },
    [parseId(['proj'], tenant.project.projectId) ?? ''],
  );
}

/** The tenant's people have its organization; everybody else who is asked for has one of their own. */
export function organizationOwner({ tenant }: Stage, actor: Actor): Actor {
  return belongsTo(tenant, actor) ? tenant.owner : actor;
}

/** Whether somebody is one of the tenant's people. */
export function belongsTo(tenant: Tenant, actor: Actor): boolean {
  return [tenant.owner, tenant.admin, tenant.member].some(({ userId }) => userId === actor.userId);
}

/** Somebody who asks with their member token. */
export function as(culprit: TestCulprit, actor: Actor): Pick<Person, 'request'> {
  return {
    request: (method, path, body) =>
      sendRequest(culprit.url + path, {
        method,
        token: actor.memberToken,
        json: body,
      }),
  };
}

/** The text at a path of an answer; throws where there is none. */
export function textAt(value: unknown, ...keys: string[]): string {
  let found = value;
  for (const key of keys) found = isJsonObject(found) ? found[key] : undefined;
  if (typeof found !== 'string') throw new Error(`no ${keys.join('.')} in ${JSON.stringify(value)}`);
  return found;
}
