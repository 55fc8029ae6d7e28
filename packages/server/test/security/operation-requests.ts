import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { unsubscribeToken } from '../../src/notify/personal/unsubscribe-token.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { approveProgram, startProgram } from '../support/cli-sign-in-client.ts';
import { openBrowser, openDevice } from '../support/github-client.ts';
import { managementClient } from '../support/management-client.ts';
import { openOidcBrowser } from '../support/oidc-client.ts';
import { setPlanOf } from '../support/organizations.ts';
import { newAddress } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import { requestCode, usualBrowser } from '../support/sign-in.ts';
import { newChannel } from '../support/slack-client.ts';
import type { OperationRequest } from './operation-request.ts';
import {
  as,
  belongsTo,
  deletionCode,
  emailChange,
  forgetCheck,
  forgetOldReportChannels,
  forgetPlan,
  forgetRates,
  forgetTests,
  newCheck,
  newGithubPerson,
  newHeartbeat,
  organizationOwner,
  type Stage,
  switchProbesOff,
  textAt,
} from './request-state.ts';
import {
  newMapUpload,
  ofMapPart,
  ofMapUpload,
  ofSourceMap,
  ofWholeMapUpload,
} from './source-map-requests.ts';
import {
  idOf,
  invitedElsewhere,
  newAlert,
  newReportChannel,
  newRule,
  newTracker,
  newWebhook,
  ofAlert,
  ofCheck,
  ofCollaborator,
  ofDelivery,
  ofDestination,
  ofHeartbeat,
  ofImprovement,
  ofIncident,
  ofIncidents,
  ofProject,
  ofProjectQuery,
  ofReportChannel,
  ofRule,
  ofTracker,
  ofWebhook,
  ownersSlack,
  reducibleCapacity,
  serviceOf,
  suggestedRule,
  toJson,
} from './subject-requests.ts';
import { type Actor, addProject, openSession } from './tenant.ts';

/**
 * Makes up a request and the state it needs, such that it succeeds for the owner of what it is about. Where that is the
 * caller's own (their tokens, their organization, an invite to them), it is the actor's.
 */
type MakeRequest = (stage: Stage, actor: Actor) => Promise<OperationRequest> | OperationRequest;

/** A release that no request has deleted. */
async function ofRelease({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { id } = idOf(tenant.project);
  const { body } = await as(culprit, tenant.owner).request('POST', `/v1/projects/${id}/releases`, {
    version: newUuid(),
  });
  return { params: { id, releaseId: textAt(body, 'release', 'release_id') } };
}

/** The ids of a note or a fix that the actor writes or, where the actor may not, the owner. */
async function ownRecord(
  { culprit, tenant }: Stage,
  actor: Actor,
  kind: 'note' | 'fix',
  body: object,
): Promise<Record<string, string>> {
  const { incidentId } = await tenant.incident();
  const path = `/v1/incidents/${incidentId}/${kind === 'note' ? 'notes' : 'fixes'}`;
  const answer = await as(culprit, actor).request('POST', path, body);
  const made = answer.status === 201 ? answer : await as(culprit, tenant.owner).request('POST', path, body);
  return { id: incidentId, [`${kind}Id`]: textAt(made.body, kind, `${kind}_id`) };
}

/** The id of a link that the owner adds. */
async function ownLink(
  { culprit, tenant }: Stage,
  body: object = { url: `https://tickets.example/${newUuid()}` },
): Promise<Record<string, string>> {
  const { incidentId } = await tenant.incident();
  const path = `/v1/incidents/${incidentId}/links`;
  const answer = await as(culprit, tenant.owner).request('POST', path, body);
  return { id: incidentId, linkId: textAt(answer.body, 'link', 'link_id') };
}

/** The id of a shared view that the actor or, where the actor is a stranger, the owner made. */
async function ownView({ culprit, tenant }: Stage, actor: Actor): Promise<Record<string, string>> {
  const holder = belongsTo(tenant, actor) ? actor : tenant.owner;
  const { projectId } = tenant.project;
  const body = { project_id: projectId, is_shared: true, name: 'ours' };
  const answer = await as(culprit, holder).request('POST', '/v1/views', body);
  return { id: textAt(answer.body, 'view', 'view_id') };
}

/** The ids of a team that the owner made, and of a person. */
async function ofTeam({ culprit, tenant }: Stage, body?: { name: string }): Promise<OperationRequest> {
  const { id } = idOf(tenant.project);
  const slug = `team-${crypto.randomUUID().slice(0, 8)}`;
  const answer = await as(culprit, tenant.owner).request('POST', `/v1/projects/${id}/teams`, {
    slug,
    name: slug,
  });
  const params = { id, teamId: textAt(answer.body, 'team', 'team_id') };
  return body === undefined ? { params } : { params, body };
}

/** The same with a member of the project, who is in the team. */
async function ofTeamMember(stage: Stage): Promise<OperationRequest> {
  const { params = {} } = await ofTeam(stage);
  const { userId } = stage.tenant.member;
  const path = `/v1/projects/${params.id}/teams/${params.teamId}/members/${userId}`;
  await as(stage.culprit, stage.tenant.owner).request('POST', path);
  return { params: { ...params, userId } };
}

/** The incident, which requests before this one may have resolved. */
async function openIncident({ culprit, tenant }: Stage): Promise<string> {
  const { incidentId } = await tenant.incident();
  await as(culprit, tenant.owner).request('POST', `/v1/incidents/${incidentId}/reopen`);
  return incidentId;
}

/** The version of an answer with ownership. */
function versionIn(body: unknown): number {
  const ownership = isJsonObject(body) ? body.ownership : undefined;
  return isJsonObject(ownership) ? Number(ownership.version) : 0;
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

/** A request of each operation of the contract, by endpoint id. */
export const operationRequests: Readonly<Record<string, MakeRequest>> = {
  postEvents: () => ({ body: { events: [toJson(EX())] } }),
  getSdkConfig: () => ({ query: { service: 'api', environment: 'production' } }),

  listIncidents: ofProjectQuery,
  countIncidents: ofProjectQuery,
  readIncidentQuery: ofProjectQuery,
  listIncidentTags: ofIncident,
  listAlertVerdicts: ofIncident,
  listIncidentTagValues: async ({ tenant }) => ({
    params: { id: (await tenant.incident()).incidentId, key: 'trust' },
  }),
  listProjectTags: ofProject,
  getIncidentActivity: async (stage) => {
    const { incidentId } = await stage.tenant.incident();
    return { query: { project_id: stage.tenant.project.projectId, incident_ids: incidentId } };
  },
  getIncident: ofIncident,
  resolveIncident: ofIncident,
  reopenIncident: ofIncident,
  updateIncident: async (stage) => ({ ...(await ofIncident(stage)), body: { priority: 'high' } }),
  updateIncidents: async ({ tenant }) => ({
    body: { incident_ids: [(await tenant.incident()).incidentId], set: { assignee: null } },
  }),
  snoozeIncident: async (stage) => ({
    params: { id: await openIncident(stage) },
    body: { until: tomorrow() },
  }),
  snoozeIncidents: async (stage) => ({
    body: { incident_ids: [await openIncident(stage)], until: tomorrow() },
  }),
  wakeIncident: ofIncident,
  wakeIncidents: ofIncidents,
  previewSnooze: async (stage) => ({ ...(await ofIncident(stage)), body: { until: tomorrow() } }),
  listNotes: ofIncident,
  createNote: async (stage) => ({ ...(await ofIncident(stage)), body: { body: 'seen before' } }),
  updateNote: async (stage, actor) => ({
    params: await ownRecord(stage, actor, 'note', { body: 'first' }),
    body: { body: 'second' },
  }),
  deleteNote: async (stage, actor) => ({ params: await ownRecord(stage, actor, 'note', { body: 'gone' }) }),
  getIncidentWatch: ofIncident,
  watchIncident: ofIncident,
  unwatchIncident: ofIncident,
  listFixes: ofIncident,
  createFix: async (stage) => ({ ...(await ofIncident(stage)), body: { url: 'https://git.example/pull/1' } }),
  deleteFix: async (stage, actor) => ({
    params: await ownRecord(stage, actor, 'fix', { url: 'https://git.example/pull/2' }),
  }),
  listLinks: ofIncident,
  createLink: async (stage) => ({
    ...(await ofIncident(stage)),
    body: { tracker_id: (await ofTracker(stage)).params?.trackerId ?? '' },
  }),
  updateLink: async (stage) => {
    const { params } = await ofTracker(stage);
    const link = await ownLink(stage, { tracker_id: params?.trackerId ?? '' });
    return { params: link, body: { sync: { wont_fix: 'nothing' } } };
  },
  refreshLink: async (stage) => ({ params: await ownLink(stage) }),
  deleteLink: async (stage) => ({ params: await ownLink(stage) }),
  listTrackers: ofProject,
  listTrackerTargets: async (stage) => {
    const { params } = await ofTracker(stage);
    return { ...ofProject(stage), body: { tracker_id: params?.trackerId ?? '' } };
  },
  createTracker: (stage) => ({ ...ofProject(stage), body: newTracker(stage) }),
  updateTracker: async (stage) => ({ ...(await ofTracker(stage)), body: { name: 'Ours' } }),
  deleteTracker: ofTracker,
  testTracker: ofTracker,
  createTrackerHook: ofTracker,
  installTrackerHook: ofTracker,
  getOwnership: ofProject,
  saveOwnership: async (stage) => {
    const request = ofProject(stage);
    const path = `/v1/projects/${idOf(stage.tenant.project).id}/ownership`;
    const { body } = await as(stage.culprit, stage.tenant.owner).request('GET', path);
    return { ...request, body: { text: '* none', version: versionIn(body) } };
  },
  previewOwnership: (stage) => ({ ...ofProject(stage), body: { text: '* none' } }),
  applyOwnership: ofProject,
  listPeople: ofProject,
  listTeams: ofProject,
  createTeam: (stage) => ({
    ...ofProject(stage),
    body: { slug: `team-${crypto.randomUUID().slice(0, 8)}`, name: 'Team' },
  }),
  updateTeam: (stage) => ofTeam(stage, { name: 'Renamed' }),
  deleteTeam: (stage) => ofTeam(stage),
  addTeamMember: ofTeamMember,
  removeTeamMember: ofTeamMember,
  getPersonalSettings: () => ({}),
  updatePersonalSettings: () => ({ body: { digest_minutes: 5 } }),
  unsubscribe: ({ culprit, tenant }) => ({
    body: { token: unsubscribeToken(deriveKeys(culprit.dataKey).unsubscribes, tenant.owner.userId) },
  }),
  updateProfile: () => ({ body: { name: 'Ada' } }),
  resolveIncidents: ofIncidents,
  reopenIncidents: ofIncidents,
  getIncidentOccurrences: ofIncident,
  getProjectOccurrences: ofProject,
  getIncidentHistory: ofIncident,
  listSimilarIncidents: ofIncident,
  getIncidentGrouping: ofIncident,
  // The same incident twice: merging is for the tests of it.
  mergeIncidents: async ({ tenant }) => {
    const { incidentId } = await tenant.incident();
    return { body: { incident_ids: [incidentId, incidentId] } };
  },
  splitIncident: async ({ tenant }) => {
    const { incidentId } = await tenant.incident();
    return { params: { id: incidentId }, body: { incident_ids: [incidentId] } };
  },
  listIncidentLogs: ofIncident,
  listLogs: async ({ tenant }) => ({ query: { incident_id: (await tenant.incident()).incidentId } }),
  getIncidentEvent: async ({ tenant }) => {
    const { incidentId, eventId } = await tenant.incident();
    return { params: { id: incidentId, eventId } };
  },
  lookUpId: async (stage) => {
    const { incidentId } = await stage.tenant.incident();
    return { query: { project_id: stage.tenant.project.projectId, id: incidentId } };
  },
  getIncidentBundle: ofIncident,
  getIncidentReproduction: ofIncident,
  suggestCaptureRules: ofIncident,
  createSuggestedCaptureRule: suggestedRule,

  listLifecycle: ofProjectQuery,
  streamChanges: ofProjectQuery,

  listImprovements: ofProjectQuery,
  getImprovement: ofImprovement,
  resolveImprovement: ofImprovement,
  reopenImprovement: ofImprovement,
  snoozeImprovement: async (stage) => ({
    ...(await ofImprovement(stage)),
    body: { snoozed_until: tomorrow() },
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
  listRegroupings: ofProject,
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
  listCaptureRules: ofProject,
  createCaptureRule: (stage) => ({ ...ofProject(stage), body: newRule() }),
  updateCaptureRule: async (stage) => ({ ...(await ofRule(stage)), body: { name: 'renamed' } }),
  deleteCaptureRule: ofRule,

  listServices: ofProjectQuery,
  listProjectClients: ofProject,
  getServiceActivity: ofProject,
  listDeployments: ofProject,

  listReleases: ofProject,
  createRelease: (stage) => ({ ...ofProject(stage), body: { version: newUuid() } }),
  getRelease: ofRelease,
  listReleaseIncidents: ofRelease,
  getReleaseActivity: ofRelease,
  deleteRelease: ofRelease,
  listSourceMaps: ofProject,
  listMissingMaps: ofProject,
  listMapUploads: ofProject,
  getSourceMap: ofSourceMap,
  deleteSourceMap: ofSourceMap,
  explainFrame: (stage) => ({ ...ofProject(stage), body: { file: 'assets/index.js', line: 1, column: 1 } }),
  beginMapUpload: newMapUpload,
  getMapUpload: ofMapUpload,
  putMapPart: ofMapPart,
  finishMapUpload: ofWholeMapUpload,

  tailEvents: ofProject,
  listProbeResults: ofProject,
  listEventFates: ofProject,

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
  readInvite: invitedElsewhere,
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

  listHeartbeats: ofProject,
  createHeartbeat: (stage) => ({ ...ofProject(stage), body: newHeartbeat(`made-${newUuid()}`) }),
  getHeartbeat: (stage) => ofHeartbeat(stage),
  updateHeartbeat: async (stage) => ({ ...(await ofHeartbeat(stage)), body: { failure_threshold: 5 } }),
  deleteHeartbeat: (stage) => ofHeartbeat(stage, 'deleted'),
  rotateHeartbeatKey: (stage) => ofHeartbeat(stage, 'rotated'),
  listHeartbeatRuns: (stage) => ofHeartbeat(stage),
  listHeartbeatDays: (stage) => ofHeartbeat(stage),
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
  listCheckDays: ofProject,
  getCheckLatency: (stage) => ofCheck(stage),

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
  previewAlert: async (stage) => ({
    body: { ...newAlert(stage), service_id: await serviceOf(stage), days: 7 },
  }),
  testAlert: ofAlert,
  listAlertDeliveries: ofAlert,

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
  retryWebhookDelivery: ofDelivery,
  getWebhookDelivery: ofDelivery,
  rotateWebhookSecret: ofWebhook,

  listWeeklyReportChannels: ofProjectQuery,
  createWeeklyReportChannel: async (stage) => {
    await forgetOldReportChannels(stage);
    return { body: newReportChannel(stage) };
  },
  sendWeeklyReport: (stage) => ofReportChannel(stage, true),
  updateWeeklyReportChannel: async (stage) => ({
    ...(await ofReportChannel(stage)),
    body: { is_enabled: false },
  }),
  deleteWeeklyReportChannel: (stage) => ofReportChannel(stage),

  requestSignInCode: () => ({ body: { email: newAddress('code'), accepted_terms: true } }),
  verifySignInCode: async ({ culprit }) => {
    const email = newAddress('signs-in');
    return { body: { email, code: await requestCode(culprit, email) }, cookie: usualBrowser.cookie };
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
  listGroupGrants: () => ({}),
  createGroupGrant: ({ tenant }, actor) => {
    const project = belongsTo(tenant, actor) ? { project_id: tenant.project.projectId } : {};
    return { body: { group: 'engineers', role: 'member', ...project } };
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

  getSampleData: ofProject,
  addSampleData: ofProject,
  removeSampleData: ofProject,

  listProjectTokens: ofProject,
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
  listDsnKeys: ofProject,
  createDsnKey: (stage) => ({ ...ofProject(stage), body: { label: 'a key' } }),
  updateDsnKey: async (stage) => ({ params: await newDsnKey(stage), body: { label: 'another name' } }),
  revokeDsnKey: async (stage) => ({ params: await newDsnKey(stage) }),
  listViews: ofProjectQuery,
  createView: ({ tenant }) => ({
    body: { project_id: tenant.project.projectId, is_shared: true, name: 'a view' },
  }),
  updateView: async (stage, actor) => ({ params: await ownView(stage, actor), body: { name: 'renamed' } }),
  deleteView: async (stage, actor) => ({ params: await ownView(stage, actor) }),
  listMemberTokens: () => ({}),
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

  getOperatorHealth: () => ({}),
  listDeadLetters: () => ({}),
  retryDeadLetters: () => ({ body: { ids: [1] } }),
  requestEmailChange: () => ({ body: { email: newAddress('moves') } }),
  confirmEmailChange: async (stage, actor) => await emailChange(stage, actor),
  listSessions: () => ({}),
  // Of an organization that is nobody's: the actor may be a stranger to the tenant.
  endOwnSession: async ({ culprit }, actor) => ({
    params: { sessionId: (await openSession(culprit, actor, newUuid())).sessionId },
  }),
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

  getServer: () => ({}),
  getHealth: () => ({}),
  getLive: () => ({}),
  getReady: () => ({}),
};

/** A rule that matches nothing that is sent. */

/** A key of the tenant's project. */
async function newDsnKey({ culprit, tenant }: Stage): Promise<Record<string, string>> {
  const { projectId } = tenant.project;
  const owner = managementClient(culprit, tenant.owner.memberToken);
  const { body } = await owner.post(`/v1/projects/${projectId}/dsn-keys`, { label: 'a key' });
  const { key } = body as { key: { token_id: string } };
  return { id: projectId, tokenId: key.token_id };
}
