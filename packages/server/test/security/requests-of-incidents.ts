import { newUuid } from '../../src/platform/ids.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { as, type Stage, textAt } from './request-state.ts';
import { newMapUpload, ofMapPart, ofWholeMapUpload } from './source-map-requests.ts';
import {
  idOf,
  type MakeRequest,
  ofImprovement,
  ofIncident,
  ofProject,
  ofTracker,
  suggestedRule,
  toJson,
  tomorrow,
} from './subject-requests.ts';
import type { Actor } from './tenant.ts';

/** Requests about incidents, events, releases and maps that need more than their subject, by endpoint id. */
export const INCIDENT_REQUESTS: Readonly<Record<string, MakeRequest>> = {
  postEvents: () => ({ body: { events: [toJson(EX())] } }),
  getSdkConfig: () => ({ query: { service: 'api', environment: 'production' } }),
  listIncidentTagValues: async ({ tenant }) => ({
    params: { id: (await tenant.incident()).incidentId, key: 'trust' },
  }),
  getIncidentActivity: async (stage) => {
    const { incidentId } = await stage.tenant.incident();
    return { query: { project_id: stage.tenant.project.projectId, incident_ids: incidentId } };
  },
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
  previewSnooze: async (stage) => ({ ...(await ofIncident(stage)), body: { until: tomorrow() } }),
  createNote: async (stage) => ({ ...(await ofIncident(stage)), body: { body: 'seen before' } }),
  updateNote: async (stage, actor) => ({
    params: await ownRecord(stage, actor, 'note', { body: 'first' }),
    body: { body: 'second' },
  }),
  deleteNote: async (stage, actor) => ({ params: await ownRecord(stage, actor, 'note', { body: 'gone' }) }),
  createFix: async (stage) => ({ ...(await ofIncident(stage)), body: { url: 'https://git.example/pull/1' } }),
  deleteFix: async (stage, actor) => ({
    params: await ownRecord(stage, actor, 'fix', { url: 'https://git.example/pull/2' }),
  }),
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
  // The same incident twice: merging is for the tests of it.
  mergeIncidents: async ({ tenant }) => {
    const { incidentId } = await tenant.incident();
    return { body: { incident_ids: [incidentId, incidentId] } };
  },
  splitIncident: async ({ tenant }) => {
    const { incidentId } = await tenant.incident();
    return { params: { id: incidentId }, body: { incident_ids: [incidentId] } };
  },
  listLogs: async ({ tenant }) => ({ query: { incident_id: (await tenant.incident()).incidentId } }),
  getIncidentEvent: async ({ tenant }) => {
    const { incidentId, eventId } = await tenant.incident();
    return { params: { id: incidentId, eventId } };
  },
  lookUpId: async (stage) => {
    const { incidentId } = await stage.tenant.incident();
    return { query: { project_id: stage.tenant.project.projectId, id: incidentId } };
  },
  createSuggestedCaptureRule: suggestedRule,
  snoozeImprovement: async (stage) => ({
    ...(await ofImprovement(stage)),
    body: { snoozed_until: tomorrow() },
  }),
  getImprovementBundle: async ({ tenant }) => ({
    params: { ...idOf(tenant.project), improvementId: await tenant.improvement() },
  }),
  updateImprovementSettings: (stage) => ({
    ...ofProject(stage),
    body: { improvement_bundle_sensitivity: 'high_confidence' },
  }),
  createRelease: (stage) => ({ ...ofProject(stage), body: { version: newUuid() } }),
  explainFrame: (stage) => ({ ...ofProject(stage), body: { file: 'assets/index.js', line: 1, column: 1 } }),
  beginMapUpload: newMapUpload,
  putMapPart: ofMapPart,
  finishMapUpload: ofWholeMapUpload,
};

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

/** The incident, which requests before this one may have resolved. */
async function openIncident({ culprit, tenant }: Stage): Promise<string> {
  const { incidentId } = await tenant.incident();
  await as(culprit, tenant.owner).request('POST', `/v1/incidents/${incidentId}/reopen`);
  return incidentId;
}
