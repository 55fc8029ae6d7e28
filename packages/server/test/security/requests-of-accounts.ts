import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { unsubscribeToken } from '../../src/notify/personal/unsubscribe-token.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { approveProgram, startProgram } from '../support/cli-sign-in-client.ts';
import { openBrowser, openDevice } from '../support/github-client.ts';
import { managementClient } from '../support/management-client.ts';
import { openOidcBrowser } from '../support/oidc-client.ts';
import { setPlanOf } from '../support/organizations.ts';
import { newAddress } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import { requestCode, usualBrowser } from '../support/sign-in.ts';
import {
  as,
  belongsTo,
  deletionCode,
  emailChange,
  forgetPlan,
  forgetRates,
  newGithubPerson,
  organizationOwner,
  textAt,
} from './request-state.ts';
import { invitedElsewhere, type MakeRequest, ofTeam, reducibleCapacity } from './subject-requests.ts';
import { openSession } from './tenant.ts';

/** Requests about people, their sign-in, tokens and organization that need more than their subject, by endpoint id. */
export const ACCOUNT_REQUESTS: Readonly<Record<string, MakeRequest>> = {
  updatePersonalSettings: () => ({ body: { digest_minutes: 5 } }),
  unsubscribe: ({ culprit, tenant }) => ({
    body: { token: unsubscribeToken(deriveKeys(culprit.dataKey).unsubscribes, tenant.owner.userId) },
  }),
  updateProfile: () => ({ body: { name: 'Ada' } }),
  readInvite: invitedElsewhere,
  acceptInvite: invitedElsewhere,
  acceptInviteAlias: invitedElsewhere,
  requestSignInCode: () => ({ body: { email: newAddress('code'), accepted_terms: true } }),
  verifySignInCode: async ({ culprit }) => {
    const email = newAddress('signs-in');
    return { body: { email, code: await requestCode(culprit, email) }, cookie: usualBrowser.cookie };
  },
  startGithubSignIn: () => ({ query: { return_to: '/projects' } }),
  finishGithubSignIn: async ({ culprit, github }) => {
    const browser = openBrowser(culprit, github);
    const location = new URL(await github.visit(await browser.start(), { as: newGithubPerson(github) }));
    return {
      query: Object.fromEntries(location.searchParams),
      cookie: `svc_oauth=${browser.cookies.get('svc_oauth') ?? ''}`,
    };
  },
  createGroupGrant: async (stage, actor) => {
    const { tenant } = stage;
    const grant = { group: 'engineers', role: 'member' };
    if (!belongsTo(tenant, actor)) return { body: grant };
    const { params = {} } = await ofTeam(stage);
    return { body: { ...grant, project_id: tenant.project.projectId, team_id: params.teamId ?? null } };
  },
  deleteGroupGrant: async ({ culprit, tenant }, actor) => {
    const holder = belongsTo(tenant, actor) ? tenant.owner : actor;
    const { body } = await sendRequest(`${culprit.url}/v1/organization/group-grants`, {
      token: holder.memberToken,
      body: JSON.stringify({ group: newAddress('group'), role: 'member' }),
    });
    return { params: { grantId: textAt(body, 'group_grant', 'grant_id') } };
  },
  startOidcSignIn: () => ({ query: { return_to: '/projects' } }),
  finishOidcSignIn: async ({ culprit, oidc }) => {
    const browser = openOidcBrowser(culprit, oidc);
    const location = new URL(await oidc.visit(await browser.start(), { as: 'ada' }));
    return {
      query: Object.fromEntries(location.searchParams),
      cookie: `svc_oidc=${browser.cookies.get('svc_oidc') ?? ''}`,
    };
  },
  logOutByProvider: ({ oidc }) => ({
    bytes: new TextEncoder().encode(
      String(new URLSearchParams({ logout_token: oidc.logoutToken({ sub: 'ada' }) })),
    ),
  }),
  startCliSignIn: () => ({ body: { label: 'laptop' } }),
  pollCliSignIn: async ({ culprit }) => {
    await forgetRates(culprit);
    return { body: { request_id: (await startProgram(culprit)).requestId } };
  },
  claimCliSignIn: async ({ culprit }) => {
    await forgetRates(culprit);
    const { requestId, userCode } = await startProgram(culprit);
    await approveProgram(culprit, await culprit.signIn(newAddress('cli')), userCode);
    return { body: { request_id: requestId } };
  },
  readCliSignIn: async ({ culprit }) => ({ body: { user_code: (await startProgram(culprit)).userCode } }),
  approveCliSignIn: async ({ culprit }) => ({
    body: { user_code: (await startProgram(culprit)).userCode, access: 'read' },
  }),
  denyCliSignIn: async ({ culprit }) => ({ body: { user_code: (await startProgram(culprit)).userCode } }),
  startDeviceRequest: () => ({ body: { accepted_terms: true } }),
  pollDeviceRequest: async ({ culprit }) => {
    await forgetRates(culprit);
    const { requestId } = await openDevice(culprit).start();
    return { body: { request_id: requestId } };
  },
  claimDeviceRequest: async ({ culprit, github }) => {
    const device = openDevice(culprit);
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: newGithubPerson(github) });
    await forgetRates(culprit);
    const { body } = await device.poll(requestId);
    if (textAt(body, 'status') !== 'approved') throw new Error('the device is not approved');
    return { body: { request_id: requestId, label: 'laptop' } };
  },
  exchangeGithubToken: ({ github }) => {
    const token = github.createToken(newGithubPerson(github));
    return { body: { github_access_token: token, label: 'ci', accepted_terms: true } };
  },
  createMemberToken: () => ({ body: { label: 'a token' } }),
  revokeMemberToken: async ({ culprit, tenant }, actor) => {
    const holder = belongsTo(tenant, actor) ? actor : tenant.owner;
    const { token_id } = await managementClient(culprit, holder.memberToken).createMemberToken();
    return { params: { tokenId: token_id } };
  },
  rotateMemberToken: async ({ culprit, tenant }, actor) => {
    const holder = belongsTo(tenant, actor) ? actor : tenant.owner;
    const { token_id } = await managementClient(culprit, holder.memberToken).createMemberToken();
    return { params: { tokenId: token_id }, body: { overlap_hours: 0 } };
  },
  retryDeadLetters: () => ({ body: { ids: [1] } }),
  requestEmailChange: () => ({ body: { email: newAddress('moves') } }),
  confirmEmailChange: async (stage, actor) => await emailChange(stage, actor),
  // Of an organization without people: the actor may be a stranger to the tenant.
  endOwnSession: async ({ culprit }, actor) => ({
    params: { sessionId: (await openSession(culprit, actor, newUuid())).sessionId },
  }),
  requestDeletionCode: () => ({ body: { confirmation_text: DELETION_PHRASE } }),
  deleteAccount: async (stage, actor) => ({
    body: {
      confirmation_text: DELETION_PHRASE,
      otp: await deletionCode(stage, organizationOwner(stage, actor)),
    },
  }),
  startTrial: async (stage, actor) => {
    await forgetPlan(stage, organizationOwner(stage, actor));
    return { body: { target_plan: 'team' } };
  },
  increaseCapacity: async (stage, actor) => {
    await setPlanOf(stage.culprit.database, organizationOwner(stage, actor).userId, 'team', 0);
    return { body: { target_additional_capacity_units: 1 } };
  },
  scheduleReduction: reducibleCapacity,
  cancelReduction: async (stage, actor) => {
    const owner = organizationOwner(stage, actor);
    const { body } = await reducibleCapacity(stage, actor);
    await as(stage.culprit, owner).request('POST', '/v1/billing/capacity/scheduled-reduction', body);
    return {};
  },
  createCheckout: () => ({ body: { target_plan: 'team' } }),
  confirmCheckout: () => ({ body: { session_id: 'cs_test_1' } }),
};
