import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { HOSTED, type TestProject } from '../support/culprit.ts';
import { setPlanOf } from '../support/organizations.ts';
import { invite } from '../support/people.ts';
import { type SlackClient, slackClient } from '../support/slack-client.ts';
import type { OperationRequest } from './operation-request.ts';
import {
  as,
  checkNamed,
  forgetOldReportChannels,
  forgetRates,
  heartbeatNamed,
  organizationOwner,
  type Stage,
  textAt,
} from './request-state.ts';
import { type Actor, addProject } from './tenant.ts';

/**
 * Makes up a request and the state it needs, such that it succeeds for the owner of what it is about. Where that is the
 * caller's own (their tokens, their organization, an invite to them), it is the actor's.
 */
export type MakeRequest = (stage: Stage, actor: Actor) => Promise<OperationRequest> | OperationRequest;

/** Requests about a subject of the tenant: its project, an incident, a webhook. What is not there is created first. */

export function newRule(): JsonObject {
  return { name: 'quiet', action: 'drop', matcher: { services: ['nowhere'] } };
}

export function idOf(project: TestProject): { id: string } {
  return { id: project.projectId };
}

export function ofProject({ tenant }: Stage): OperationRequest & { params: { id: string } } {
  return { params: idOf(tenant.project) };
}

export function ofProjectQuery({ tenant }: Stage): OperationRequest {
  return { query: { project_id: tenant.project.projectId } };
}

export async function ofIncident({ tenant }: Stage): Promise<OperationRequest> {
  return { params: { id: (await tenant.incident()).incidentId } };
}

export async function ofImprovement({ tenant }: Stage): Promise<OperationRequest> {
  return { params: { id: await tenant.improvement() } };
}

export async function ofIncidents({ tenant }: Stage): Promise<OperationRequest> {
  return { body: { incident_ids: [(await tenant.incident()).incidentId] } };
}

/** Gives every suggestion back before, because each can be used once. */
export async function suggestedRule({ culprit, tenant }: Stage): Promise<OperationRequest> {
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

export async function ofRule({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { projectId } = tenant.project;
  const path = `/v1/projects/${projectId}/capture-rules`;
  const answer = await as(culprit, tenant.owner).request('POST', path, newRule());
  return { params: { id: projectId, ruleId: textAt(answer.body, 'rule', 'id') } };
}

export async function ofCollaborator({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { userId } = await createCollaborator(culprit, tenant.project, 'member');
  return { params: { id: tenant.project.projectId, userId } };
}

export async function invitedElsewhere({ culprit, host }: Stage, actor: Actor): Promise<OperationRequest> {
  await forgetRates(culprit);
  const project = await addProject(culprit, host);
  const { token } = await invite(culprit, as(culprit, host.owner), project.projectId, actor.email);
  return { body: { token } };
}

export async function ofCheck(stage: Stage, name = 'kept'): Promise<OperationRequest> {
  return { params: { ...idOf(stage.tenant.project), checkId: await checkNamed(stage, name) } };
}

export async function ofHeartbeat(stage: Stage, name = 'kept'): Promise<OperationRequest> {
  return { params: { ...idOf(stage.tenant.project), heartbeatId: await heartbeatNamed(stage, name) } };
}

/** The receiver answers below this path as a tracker does. */
export function newTracker({ receiver }: Stage): JsonObject {
  return { kind: 'github', base_url: `${receiver.url}/tracker`, target: 'acme/shop', token: 'a-token' };
}

/** A tracker of its own, so that there is room for the next. */
export async function ofTracker(stage: Stage): Promise<OperationRequest> {
  const { culprit, tenant } = stage;
  const text = `with links as (delete from incident_links where project_id = $1 and tracker_id is not null)
    delete from trackers where project_id = $1`;
  const projectId = parseId(['proj'], tenant.project.projectId);
  await culprit.database.query({ name: 'test-forget-trackers', text }, [projectId]);
  const path = `/v1/projects/${tenant.project.projectId}/trackers`;
  const made = await as(culprit, tenant.owner).request('POST', path, newTracker(stage));
  return { params: { ...idOf(tenant.project), trackerId: textAt(made.body, 'tracker', 'tracker_id') } };
}

export function ownersSlack({ culprit, slack, tenant }: Stage): SlackClient {
  return slackClient(culprit, slack, tenant.project);
}

export async function ofDestination(stage: Stage): Promise<OperationRequest> {
  const { slack_destination_id } = await ownersSlack(stage).destination();
  return { params: { ...idOf(stage.tenant.project), destinationId: slack_destination_id } };
}

/** Of events that come about only when somebody asks for them. */
export function newWebhook({ receiver, tenant }: Stage): JsonObject {
  const { projectId } = tenant.project;
  return {
    project_id: projectId,
    url: `${receiver.url}/${projectId}`,
    events: ['bundle.resolved', 'bundle.reopened', 'verification.passed'],
  };
}

export async function ofWebhook(stage: Stage): Promise<OperationRequest & { params: { id: string } }> {
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request('POST', '/v1/webhooks', newWebhook(stage));
  return { params: { id: textAt(answer.body, 'webhook', 'webhook_id') } };
}

export async function ofDelivery(stage: Stage): Promise<OperationRequest> {
  const { params } = await ofWebhook(stage);
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request('POST', `/v1/webhooks/${params.id}/test`);
  return { params: { ...params, did: textAt(answer.body, 'delivery', 'delivery_id') } };
}

/** Never due while it is looked at. */
export function newReportChannel({ receiver, tenant }: Stage, isEnabled = false): JsonObject {
  const { projectId } = tenant.project;
  return {
    project_id: projectId,
    channel: 'slack',
    config: { webhook_url: `${receiver.url}/${projectId}` },
    schedule: { day_of_week: 'sunday', hour_of_day: 4, timezone: 'UTC' },
    is_enabled: isEnabled,
  };
}

export async function ofReportChannel(
  stage: Stage,
  isEnabled = false,
): Promise<OperationRequest & { params: { id: string } }> {
  await forgetOldReportChannels(stage);
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request(
    'POST',
    '/v1/weekly-report-channels',
    newReportChannel(stage, isEnabled),
  );
  return { params: { id: textAt(answer.body, 'channel', 'channel_id') } };
}

/** Of a condition that does not come about here. */
export function newAlert({ receiver, tenant }: Stage): JsonObject {
  const { projectId } = tenant.project;
  return {
    project_id: projectId,
    channel: 'webhook',
    condition_type: 'error_spike',
    config: { target_url: `${receiver.url}/${projectId}` },
  };
}

export async function ofAlert(stage: Stage): Promise<OperationRequest & { params: { id: string } }> {
  const owner = as(stage.culprit, stage.tenant.owner);
  const answer = await owner.request('POST', '/v1/alerts', newAlert(stage));
  return { params: { id: textAt(answer.body, 'alert', 'alert_id') } };
}

/** A service of the tenant's project, as it is known from an event. */
export async function serviceOf({ culprit, tenant }: Stage): Promise<string> {
  await tenant.incident();
  const query = `project_id=${tenant.project.projectId}`;
  const answer = await as(culprit, tenant.owner).request('GET', `/v1/services?${query}`);
  const services: unknown = isJsonObject(answer.body) ? answer.body.services : undefined;
  if (!Array.isArray(services)) throw new Error('no services');
  return textAt(services[0], 'service_id');
}

export async function reducibleCapacity(stage: Stage, actor: Actor): Promise<OperationRequest> {
  const { userId } = organizationOwner(stage, actor);
  await setPlanOf(stage.culprit.database, userId, 'team', 5, HOSTED);
  return { body: { target_additional_capacity_units: 2 } };
}

export function toJson(value: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(json)) throw new Error('no JSON object');
  return json;
}

/** A release that no request has deleted. */
export async function ofRelease({ culprit, tenant }: Stage): Promise<OperationRequest> {
  const { id } = idOf(tenant.project);
  const { body } = await as(culprit, tenant.owner).request('POST', `/v1/projects/${id}/releases`, {
    version: newUuid(),
  });
  return { params: { id, releaseId: textAt(body, 'release', 'release_id') } };
}

/** The ids of a team that the owner made, and of a person. */
export async function ofTeam({ culprit, tenant }: Stage, body?: { name: string }): Promise<OperationRequest> {
  const { id } = idOf(tenant.project);
  const slug = `team-${crypto.randomUUID().slice(0, 8)}`;
  const answer = await as(culprit, tenant.owner).request('POST', `/v1/projects/${id}/teams`, {
    slug,
    name: slug,
  });
  const params = { id, teamId: textAt(answer.body, 'team', 'team_id') };
  return body === undefined ? { params } : { params, body };
}

export const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
