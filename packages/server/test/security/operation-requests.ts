import { DELETION_PHRASE } from '@culprit/contract/account';
import { isJsonObject, type JsonObject } from '../../src/events/json.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { HOSTED, type TestProject } from '../support/culprit.ts';
import { openBrowser, openDevice } from '../support/github-client.ts';
import { managementClient } from '../support/management-client.ts';
import { setPlanOf } from '../support/organizations.ts';
import { invite, newAddress } from '../support/people.ts';
import { requestCode } from '../support/sign-in.ts';
import { newChannel, type SlackClient, slackClient } from '../support/slack-client.ts';
import type { OperationRequest } from './operation-request.ts';
import {
  as,
  belongsTo,
  checkNamed,
  deletionCode,
  forgetCheck,
  forgetOldReportChannels,
  forgetPlan,
  forgetPolls,
  forgetTests,
  newCheck,
  newGithubPerson,
  organizationOwner,
  type Stage,
  switchProbesOff,
  textAt,
} from './request-state.ts';
import { type Actor, addProject } from './tenant.ts';

/**
 * Makes up a request and the state it needs, such that it succeeds for the owner of what it is about. Where that is the
 * caller's own (their tokens, their organization, an invite to them), it is the actor's.
 */
type MakeRequest = (stage: Stage, actor: Actor) => Promise<OperationRequest> | OperationRequest;

/** A request of each operation of the contract, by endpoint id. */
export const operationRequests: Readonly<Record<string, MakeRequest>> = {
  postEvents: () => ({ body: { events: [toJson(EX())] } }),
  getSdkConfig: () => ({ query: { service: 'api', environment: 'production' } }),

  listIncidents: ofProjectQuery,
  getIncident: ofIncident,
  resolveIncident: ofIncident,
  reopenIncident: ofIncident,
  resolveIncidents: ofIncidents,
  reopenIncidents: ofIncidents,
  listIncidentLogs: ofIncident,
  listLogs: async ({ tenant }) => ({ query: { incident_id: (await tenant.incident()).incidentId } }),
  getIncidentBundle: ofIncident,
  getIncidentReproduction: ofIncident,
  suggestCaptureRules: ofIncident,
  createSuggestedCaptureRule: suggestedRule,

  listImprovements: ofProjectQuery,
  getImprovement: ofImprovement,
  resolveImprovement: ofImprovement,
  reopenImprovement: ofImprovement,
  snoozeImprovement: async (stage) => ({
    ...(await ofImprovement(stage)),
    body: { snoozed_until: new Date(Date.now() + 86_400_000).toISOString() },
  }),
  getImprovementBundle: async ({ tenant }) => ({
    params: { ...idOf(tenant.project), improvementId: await tenant.improvement() },
  }),
  getImprovementSettings: ofProject,
  updateImprovementSettings: (stage) => ({
    ...ofProject(stage),
    body: { improvement_bundle_sensitivity: 'high_confidence' },
  }),

  getCapturePolicy: ofProject,
  updateCapturePolicy: (stage) => ({ ...ofProject(stage), body: { capture_logs: 'error' } }),
  listCaptureRules: ofProject,
  createCaptureRule: (stage) => ({ ...ofProject(stage), body: newRule() }),
  updateCaptureRule: async (stage) => ({ ...(await ofRule(stage)), body: { name: 'renamed' } }),
  deleteCaptureRule: ofRule,

  listServices: ofProjectQuery,

  listProjects: () => ({}),
  createProject: () => ({ body: { name: 'another', slug: `another-${newUuid()}` } }),
  getProject: ofProject,
  updateProject: (stage) => ({ ...ofProject(stage), body: { environment_default: 'staging' } }),
  deleteProject: async ({ culprit, tenant }) => ({ params: idOf(await addProject(culprit, tenant)) }),

  listMembers: ofProject,
  changeMemberRole: async (stage) => ({ ...(await ofCollaborator(stage)), body: { role: 'admin' } }),
  removeMember: ofCollaborator,
  leaveProject: async ({ culprit, tenant }) => ({ params: idOf(await addProject(culprit, tenant)) }),
  listInvites: ofProject,
  invitePerson: (stage) => ({
    ...ofProject(stage),
    body: { email: newAddress('invited'), role: 'member' },
  }),
  cancelInvite: async ({ culprit, tenant }) => {
    const { projectId } = tenant.project;
    const answer = await as(culprit, tenant.owner).request('POST', `/v1/projects/${projectId}/invite`, {
      email: newAddress('canceled'),
    });
    return { params: { id: projectId, inviteId: textAt(answer.body, 'invite', 'invite_id') } };
  },
  acceptInvite: invitedElsewhere,
  acceptInviteAlias: invitedElsewhere,

  listProbes: ofProject,
  activateProbe: async (stage) => {
    await switchProbesOff(stage);
    return { ...ofProject(stage), body: { label_pattern: 'auth.*' } };
  },
  deactivateProbe: async (stage) => {
    const { culprit, tenant } = stage;
    await switchProbesOff(stage);
    const path = `/v1/projects/${tenant.project.projectId}/probes/activate`;
    const answer = await as(culprit, tenant.owner).request('POST', path, { label_pattern: 'auth.*' });
    return {
      ...ofProject(stage),
      body: { activation_id: textAt(answer.body, 'activation', 'activation_id') },
    };
  },

  listAvailabilityChecks: ofProject,
  createAvailabilityCheck: async (stage) => {
    await forgetCheck(stage, 'created');
    return { ...ofProject(stage), body: newCheck(stage.receiver, 'created') };
  },
  getAvailabilityCheck: (stage) => ofCheck(stage),
  updateAvailabilityCheck: async (stage) => ({ ...(await ofCheck(stage)), body: { failure_threshold: 5 } }),
  deleteAvailabilityCheck: (stage) => ofCheck(stage, 'deleted'),
  testAvailabilityTarget: async (stage) => {
    await forgetTests(stage);
    return { ...ofProject(stage), body: { url: `${stage.receiver.url}/tested` } };
  },
  listAvailabilityResults: (stage) => ofCheck(stage),
  listDailyRollups: (stage) => ofCheck(stage),

  getSlackInstallUrl: ofProjectQuery,
  finishSlackInstall: async (stage) => {
    const location = new URL(stage.slack.visit(await ownersSlack(stage).installUrl(), newChannel()));
    return { query: Object.fromEntries(location.searchParams) };
  },
  listSlackDestinations: ofProject,
  testSlackDestination: ofDestination,
  deleteSlackDestination: ofDestination,

  listAlerts: ofProjectQuery,
  createAlert: async (stage) => ({ body: { ...newAlert(stage), service_id: await serviceOf(stage) } }),
  updateAlert: async (stage) => ({
    ...(await ofAlert(stage)),
    body: { cooldown_seconds: 60, service_id: await serviceOf(stage) },
  }),
  deleteAlert: ofAlert,

  listWebhooks: ofProjectQuery,
  createWebhook: (stage) => ({ body: newWebhook(stage) }),
  getWebhook: ofWebhook,
  updateWebhook: async (stage) => ({ ...(await ofWebhook(stage)), body: { is_enabled: false } }),
  deleteWebhook: ofWebhook,
  testWebhook: async (stage) => ({
    ...(await ofWebhook(stage)),
    body: { event_type: 'verification.failed' },
  }),
  listWebhookDeliveries: async (stage) => ({ ...(await ofWebhook(stage)), ...ofProjectQuery(stage) }),
  retryWebhookDelivery: async (stage) => {
    const { params } = await ofWebhook(stage);
    const owner = as(stage.culprit, stage.tenant.owner);
    const answer = await owner.request('POST', `/v1/webhooks/${params.id}/test`);
    return { params: { ...params, did: textAt(answer.body, 'delivery', 'delivery_id') } };
  },

  listWeeklyReportChannels: ofProjectQuery,
  createWeeklyReportChannel: async (stage) => {
    await forgetOldReportChannels(stage);
    return { body: newReportChannel(stage) };
  },
  updateWeeklyReportChannel: async (stage) => ({
    ...(await ofReportChannel(stage)),
    body: { is_enabled: false },
  }),
  deleteWeeklyReportChannel: ofReportChannel,

  requestSignInCode: () => ({ body: { email: newAddress('code'), accepted_terms: true } }),
  verifySignInCode: async ({ culprit }) => {
    const email = newAddress('signs-in');
    return { body: { email, code: await requestCode(culprit, email) } };
  },
  getSession: () => ({}),
  logOut: () => ({}),

  startGithubSignIn: () => ({ query: { return_to: '/projects' } }),
  finishGithubSignIn: async ({ culprit, github }) => {
    const browser = openBrowser(culprit, github);
    const location = new URL(await github.visit(await browser.start(), { as: newGithubPerson(github) }));
    return {
      query: Object.fromEntries(location.searchParams),
      cookie: `svc_oauth=${browser.cookies.get('svc_oauth') ?? ''}`,
    };
  },
  startDeviceRequest: () => ({ body: { accepted_terms: true } }),
  pollDeviceRequest: async ({ culprit }) => {
    await forgetPolls(culprit);
    const { requestId } = await openDevice(culprit).start();
    return { body: { request_id: requestId } };
  },
  claimDeviceRequest: async ({ culprit, github }) => {
    const device = openDevice(culprit);
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: newGithubPerson(github) });
    await forgetPolls(culprit);
    const { body } = await device.poll(requestId);
    if (textAt(body, 'status') !== 'approved') throw new Error('the device is not approved');
    return { body: { request_id: requestId, label: 'laptop' } };
  },
  exchangeGithubToken: ({ github }) => {
    const token = github.createToken(newGithubPerson(github));
    return { body: { github_access_token: token, label: 'ci', accepted_terms: true } };
  },

  listProjectTokens: ofProject,
  createProjectToken: (stage) => ({ ...ofProject(stage), body: { label: 'a token' } }),
  revokeProjectToken: async ({ culprit, tenant }) => {
    const { projectId } = tenant.project;
    const owner = managementClient(culprit, tenant.owner.memberToken);
    const { token_id } = await owner.createProjectToken(projectId);
    return { params: { id: projectId, tokenId: token_id } };
  },
  listMemberTokens: () => ({}),
  createMemberToken: () => ({ body: { label: 'a token' } }),
  revokeMemberToken: async ({ culprit, tenant }, actor) => {
    const holder = belongsTo(tenant, actor) ? actor : tenant.owner;
    const { token_id } = await managementClient(culprit, holder.memberToken).createMemberToken();
    return { params: { tokenId: token_id } };
  },

  exportAccount: () => ({}),
  requestDeletionCode: () => ({ body: { confirmation_text: DELETION_PHRASE } }),
  deleteAccount: async (stage, actor) => ({
    body: {
      confirmation_text: DELETION_PHRASE,
      otp: await deletionCode(stage, organizationOwner(stage, actor)),
    },
  }),

  getBilling: () => ({}),
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
  openBillingPortal: () => ({}),

  getHealth: () => ({}),
  getLive: () => ({}),
  getReady: () => ({}),
};

/** A rule that matches nothing that is sent. */
function newRule(): JsonObject {
  return { name: 'quiet', action: 'drop', matcher: { services: ['nowhere'] } };
}

function idOf(project: TestProject): { id: string } {
  return { id: project.projectId };
}

function ofProject({ tenant }: Stage): OperationRequest & { params: { id: string } } {
  return { params: idOf(tenant.project) };
}

function ofProjectQuery({ tenant }: Stage): OperationRequest {
  return { query: { project_id: tenant.project.projectId } };
}

async function ofIncident({ tenant }: Stage): Promise<OperationRequest> {
  return { params: { id: (await tenant.incident()).incidentId } };
}

async function ofImprovement({ tenant }: Stage): Promise<OperationRequest> {
  return { params: { id: await tenant.improvement() } };
}

async function ofIncidents({ tenant }: Stage): Promise<OperationRequest> {
  return { body: { incident_ids: [(await tenant.incident()).incidentId] } };
}

/** Gives every suggestion back before, because each can be used once. */
async function suggestedRule({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { incidentId } = await tenant.incident();
  const owner = as(culprit, tenant.owner);
  const path = `/v1/incidents/${incidentId}/capture-rule-suggestion`;
  const { body } = await owner.request('POST', path);
  const suggestions = isJsonObject(body) && Array.isArray(body.suggestions) ? body.suggestions : [];
  for (const { created_rule_id: made } of suggestions.filter(isJsonObject)) {
    if (made === null) continue;
    await owner.request('DELETE', `/v1/projects/${tenant.project.projectId}/capture-rules/${made}`);
  }
  return {
    params: { id: incidentId },
    body: { suggestion_id: textAt(suggestions[0], 'suggestion_id'), enabled: false },
  };
}

async function ofRule({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { projectId } = tenant.project;
  const path = `/v1/projects/${projectId}/capture-rules`;
  const answer = await as(culprit, tenant.owner).request('POST', path, newRule());
  return { params: { id: projectId, ruleId: textAt(answer.body, 'rule', 'id') } };
}

async function ofCollaborator({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { userId } = await createCollaborator(culprit, tenant.project, 'member');
  return { params: { id: tenant.project.projectId, userId } };
}

async function invitedElsewhere({ culprit, host }: Stage, actor: Actor): Promise<OperationRequest> {
  const project = await addProject(culprit, host);
  const { token } = await invite(culprit, as(culprit, host.owner), project.projectId, actor.email);
  return { body: { token } };
}

async function ofCheck(stage: Stage, name = 'kept'): Promise<OperationRequest> {
  return { params: { ...idOf(stage.tenant.project), checkId: await checkNamed(stage, name) } };
}

function ownersSlack({ culprit, slack, tenant }: Stage): SlackClient {
  return slackClient(culprit, slack, tenant.project);
}

async function ofDestination(stage: Stage): Promise<OperationRequest> {
  const { slack_destination_id } = await ownersSlack(stage).destination();
  return { params: { ...idOf(stage.tenant.project), destinationId: slack_destination_id } };
}

/** Of events that come about only when somebody asks for them. */
function newWebhook({ receiver, tenant }: Stage): JsonObject {
  const { projectId } = tenant.project;
  return {
    project_id: projectId,
    url: `${receiver.url}/${projectId}`,
    events: ['bundle.resolved', 'bundle.reopened', 'verification.passed'],
  };
}

async function ofWebhook(stage: Stage): Promise<OperationRequest & { params: { id: string } }> {
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request('POST', '/v1/webhooks', newWebhook(stage));
  return { params: { id: textAt(answer.body, 'webhook', 'webhook_id') } };
}

/** Never due while it is looked at. */
function newReportChannel({ receiver, tenant }: Stage): JsonObject {
  const { projectId } = tenant.project;
  return {
    project_id: projectId,
    channel: 'slack',
    config: { webhook_url: `${receiver.url}/${projectId}` },
    schedule: { day_of_week: 'sunday', hour_of_day: 4, timezone: 'UTC' },
    is_enabled: false,
  };
}

async function ofReportChannel(stage: Stage): Promise<OperationRequest & { params: { id: string } }> {
  await forgetOldReportChannels(stage);
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request('POST', '/v1/weekly-report-channels', newReportChannel(stage));
  return { params: { id: textAt(answer.body, 'channel', 'channel_id') } };
}

/** Of a condition that does not come about here. */
function newAlert({ receiver, tenant }: Stage): JsonObject {
  const { projectId } = tenant.project;
  return {
    project_id: projectId,
    channel: 'webhook',
    condition_type: 'error_spike',
    config: { target_url: `${receiver.url}/${projectId}` },
  };
}

async function ofAlert(stage: Stage): Promise<OperationRequest & { params: { id: string } }> {
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request('POST', '/v1/alerts', newAlert(stage));
  return { params: { id: textAt(answer.body, 'alert', 'alert_id') } };
}

/** A service of the tenant's project, as it is known from an event. */
async function serviceOf({ culprit, tenant }: Stage): Promise<string> {
  await tenant.incident();
  const query = `project_id=${tenant.project.projectId}`;
  const answer = await as(culprit, tenant.owner).request('GET', `/v1/services?${query}`);
  const services: unknown = isJsonObject(answer.body) ? answer.body.services : undefined;
  if (!Array.isArray(services)) throw new Error('no services');
  return textAt(services[0], 'service_id');
}

async function reducibleCapacity(stage: Stage, actor: Actor): Promise<OperationRequest> {
  const { userId } = organizationOwner(stage, actor);
  await setPlanOf(stage.culprit.database, userId, 'team', 5, HOSTED);
  return { body: { target_additional_capacity_units: 2 } };
}

function toJson(value: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(json)) throw new Error('no JSON object');
  return json;
}
