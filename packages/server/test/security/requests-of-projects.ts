import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { newUuid } from '../../src/platform/ids.ts';
import { managementClient } from '../support/management-client.ts';
import { newAddress } from '../support/people.ts';
import { newChannel } from '../support/slack-client.ts';
import type { OperationRequest } from './operation-request.ts';
import {
  as,
  belongsTo,
  forgetCheck,
  forgetOldReportChannels,
  forgetRates,
  forgetTests,
  newCheck,
  newHeartbeat,
  type Stage,
  switchProbesOff,
  textAt,
} from './request-state.ts';
import {
  idOf,
  type MakeRequest,
  newAlert,
  newReportChannel,
  newRule,
  newTracker,
  newWebhook,
  ofAlert,
  ofCheck,
  ofCollaborator,
  ofDelivery,
  ofHeartbeat,
  ofProject,
  ofProjectQuery,
  ofReportChannel,
  ofRule,
  ofTeam,
  ofTracker,
  ofWebhook,
  ownersSlack,
  serviceOf,
} from './subject-requests.ts';
import { type Actor, addProject } from './tenant.ts';

/** Requests about projects and what they set up that need more than their subject, by endpoint id. */
export const PROJECT_REQUESTS: Readonly<Record<string, MakeRequest>> = {
  listTrackerTargets: async (stage) => {
    const { params } = await ofTracker(stage);
    return { ...ofProject(stage), body: { tracker_id: params?.trackerId ?? '' } };
  },
  createTracker: (stage) => ({ ...ofProject(stage), body: newTracker(stage) }),
  updateTracker: async (stage) => ({ ...(await ofTracker(stage)), body: { name: 'Ours' } }),
  saveOwnership: async (stage) => {
    const request = ofProject(stage);
    const path = `/v1/projects/${idOf(stage.tenant.project).id}/ownership`;
    const { body } = await as(stage.culprit, stage.tenant.owner).request('GET', path);
    return { ...request, body: { text: '* none', version: versionIn(body) } };
  },
  previewOwnership: (stage) => ({ ...ofProject(stage), body: { text: '* none' } }),
  createTeam: (stage) => ({
    ...ofProject(stage),
    body: { slug: `team-${crypto.randomUUID().slice(0, 8)}`, name: 'Team' },
  }),
  updateTeam: (stage) => ofTeam(stage, { name: 'Renamed' }),
  addTeamMember: ofTeamMember,
  removeTeamMember: ofTeamMember,
  // Improvements come from warnings, which are not taken from then on.
  updateCapturePolicy: async (stage) => {
    await stage.tenant.improvement();
    return { ...ofProject(stage), body: { capture_logs: 'error' } };
  },
  previewCapture: (stage) => ({ ...ofProject(stage), body: { rule: newRule(), hours: 1 } }),
  previewGrouping: (stage) => ({
    ...ofProject(stage),
    body: { stack_rules: ['*/shared/* foreign'], hours: 1 },
  }),
  applyRegrouping: (stage) => ({ ...ofProject(stage), body: { stack_rules: ['*/shared/* own'], hours: 1 } }),
  undoRegrouping: async ({ culprit, tenant }) => {
    const { projectId } = tenant.project;
    const { body } = await as(culprit, tenant.owner).request(
      'POST',
      `/v1/projects/${projectId}/regroupings`,
      {
        stack_rules: [],
        hours: 1,
      },
    );
    return {
      params: { id: projectId },
      body: { regrouping_id: textAt(body, 'regrouping', 'regrouping_id') },
    };
  },
  createCaptureRule: (stage) => ({ ...ofProject(stage), body: newRule() }),
  updateCaptureRule: async (stage) => ({ ...(await ofRule(stage)), body: { name: 'renamed' } }),
  createProject: () => ({ body: { name: 'another', slug: `another-${newUuid()}` } }),
  updateProject: (stage) => ({ ...ofProject(stage), body: { environment_default: 'staging' } }),
  deleteProject: async ({ culprit, tenant }) => ({ params: idOf(await addProject(culprit, tenant)) }),
  changeMemberRole: async (stage) => ({ ...(await ofCollaborator(stage)), body: { role: 'admin' } }),
  leaveProject: async ({ culprit, tenant }) => ({ params: idOf(await addProject(culprit, tenant)) }),
  invitePerson: async (stage) => {
    await forgetRates(stage.culprit);
    return { ...ofProject(stage), body: { email: newAddress('invited'), role: 'member' } };
  },
  cancelInvite: async ({ culprit, tenant }) => {
    await forgetRates(culprit);
    const { projectId } = tenant.project;
    const answer = await as(culprit, tenant.owner).request('POST', `/v1/projects/${projectId}/invite`, {
      email: newAddress('canceled'),
    });
    return { params: { id: projectId, inviteId: textAt(answer.body, 'invite', 'invite_id') } };
  },
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
  createHeartbeat: (stage) => ({ ...ofProject(stage), body: newHeartbeat(`made-${newUuid()}`) }),
  updateHeartbeat: async (stage) => ({ ...(await ofHeartbeat(stage)), body: { failure_threshold: 5 } }),
  deleteHeartbeat: (stage) => ofHeartbeat(stage, 'deleted'),
  rotateHeartbeatKey: (stage) => ofHeartbeat(stage, 'rotated'),
  createAvailabilityCheck: async (stage) => {
    await forgetCheck(stage, 'created');
    return { ...ofProject(stage), body: newCheck(stage.receiver, 'created') };
  },
  updateAvailabilityCheck: async (stage) => ({ ...(await ofCheck(stage)), body: { failure_threshold: 5 } }),
  deleteAvailabilityCheck: (stage) => ofCheck(stage, 'deleted'),
  testAvailabilityTarget: async (stage) => {
    await forgetTests(stage);
    return { ...ofProject(stage), body: { url: `${stage.receiver.url}/tested` } };
  },
  finishSlackInstall: async (stage) => {
    const location = new URL(stage.slack.visit(await ownersSlack(stage).installUrl(), newChannel()));
    return { query: Object.fromEntries(location.searchParams) };
  },
  createAlert: async (stage) => ({ body: { ...newAlert(stage), service_id: await serviceOf(stage) } }),
  updateAlert: async (stage) => ({
    ...(await ofAlert(stage)),
    body: { cooldown_seconds: 60, service_id: await serviceOf(stage) },
  }),
  previewAlert: async (stage) => ({
    body: { ...newAlert(stage), service_id: await serviceOf(stage), days: 7 },
  }),
  createWebhook: (stage) => ({ body: newWebhook(stage) }),
  updateWebhook: async (stage) => ({ ...(await ofWebhook(stage)), body: { is_enabled: false } }),
  testWebhook: async (stage) => ({
    ...(await ofWebhook(stage)),
    body: { event_type: 'verification.failed' },
  }),
  listWebhookDeliveries: async (stage) => ({ ...(await ofWebhook(stage)), ...ofProjectQuery(stage) }),
  retryWebhookDelivery: ofDelivery,
  getWebhookDelivery: ofDelivery,
  createWeeklyReportChannel: async (stage) => {
    await forgetOldReportChannels(stage);
    return { body: newReportChannel(stage) };
  },
  sendWeeklyReport: (stage) => ofReportChannel(stage, true),
  updateWeeklyReportChannel: async (stage) => ({
    ...(await ofReportChannel(stage)),
    body: { is_enabled: false },
  }),
  createProjectToken: (stage) => ({ ...ofProject(stage), body: { label: 'a token' } }),
  revokeProjectToken: async ({ culprit, tenant }) => {
    const { projectId } = tenant.project;
    const owner = managementClient(culprit, tenant.owner.memberToken);
    const { token_id } = await owner.createProjectToken(projectId);
    return { params: { id: projectId, tokenId: token_id } };
  },
  rotateProjectToken: async ({ culprit, tenant }) => {
    const { projectId } = tenant.project;
    const owner = managementClient(culprit, tenant.owner.memberToken);
    const { token_id } = await owner.createProjectToken(projectId);
    return { params: { id: projectId, tokenId: token_id }, body: { overlap_hours: 0 } };
  },
  createDsnKey: (stage) => ({ ...ofProject(stage), body: { label: 'a key' } }),
  updateDsnKey: async (stage) => ({ params: await newDsnKey(stage), body: { label: 'another name' } }),
  revokeDsnKey: async (stage) => ({ params: await newDsnKey(stage) }),
  createView: ({ tenant }) => ({
    body: { project_id: tenant.project.projectId, is_shared: true, name: 'a view' },
  }),
  updateView: async (stage, actor) => ({ params: await ownView(stage, actor), body: { name: 'renamed' } }),
  deleteView: async (stage, actor) => ({ params: await ownView(stage, actor) }),
};

/** The id of a shared view that the actor or, where the actor is a stranger, the owner made. */
async function ownView({ culprit, tenant }: Stage, actor: Actor): Promise<Record<string, string>> {
  const holder = belongsTo(tenant, actor) ? actor : tenant.owner;
  const { projectId } = tenant.project;
  const body = { project_id: projectId, is_shared: true, name: 'ours' };
  const answer = await as(culprit, holder).request('POST', '/v1/views', body);
  return { id: textAt(answer.body, 'view', 'view_id') };
}

/** The same with a member of the project, who is in the team. */
async function ofTeamMember(stage: Stage): Promise<OperationRequest> {
  const { params = {} } = await ofTeam(stage);
  const { userId } = stage.tenant.member;
  const path = `/v1/projects/${params.id}/teams/${params.teamId}/members/${userId}`;
  await as(stage.culprit, stage.tenant.owner).request('POST', path);
  return { params: { ...params, userId } };
}

/** The version of an answer with ownership. */
function versionIn(body: unknown): number {
  const ownership = isJsonObject(body) ? body.ownership : undefined;
  return isJsonObject(ownership) ? Number(ownership.version) : 0;
}

/** A key of the tenant's project. */
async function newDsnKey({ culprit, tenant }: Stage): Promise<Record<string, string>> {
  const { projectId } = tenant.project;
  const owner = managementClient(culprit, tenant.owner.memberToken);
  const { body } = await owner.post(`/v1/projects/${projectId}/dsn-keys`, { label: 'a key' });
  const { key } = body as { key: { token_id: string } };
  return { id: projectId, tokenId: key.token_id };
}
