import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ReturnTo } from '../workspace/return-to.ts';

/** Longest value of a parameter that Slack sends browsers back with (docs/contract/notifications.md 2.4). */
export const SLACK_CALLBACK_VALUE_LENGTH_MAX = 2048;

/**
 * A connected channel (docs/contract/notifications.md 2.2). The address messages are sent to is a secret and no part
 * of it.
 */
export const SlackDestination = Named('SlackDestination', {
  slack_destination_id: AnswerId(null),
  organization_id: AnswerId(null),
  slack_team_id: Type.String({ description: 'Id of the workspace' }),
  slack_team_name: Nullable(Type.String()),
  slack_channel_id: Type.String(),
  slack_channel_name: Nullable(Type.String()),
  installed_by_member_id: Nullable(
    Type.String({ description: 'UUID of the person who connected it; null once their account is gone' }),
  ),
  is_active: Type.Boolean({ description: 'false: Slack refused messages permanently, and none are sent' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type SlackDestination = Static<typeof SlackDestination>;

const destinationParams = Closed({ id: PathId('project'), destinationId: PathId('slack_destination') });

export const getSlackInstallUrl = defineEndpoint({
  id: 'getSlackInstallUrl',
  method: 'GET',
  path: '/v1/slack/app/install-url',
  summary:
    'Start connecting a Slack channel: returns an address for the browser, valid once and for 10 minutes; with a token, the browser must be signed in as the same person',
  startsChange: true,
  scope: { of: 'project', id: 'query.project_id' },
  query: Closed({
    project_id: RequestId('A project of the organization the channel is connected to'),
    return_to: Type.Optional(ReturnTo),
  }),
  responses: { 200: Closed({ install_url: Type.String() }) },
  errors: ['upgrade_required', 'slack_not_configured'],
});

const CallbackValue = Type.String({ maxLength: SLACK_CALLBACK_VALUE_LENGTH_MAX });

export const finishSlackInstall = defineEndpoint({
  id: 'finishSlackInstall',
  method: 'GET',
  path: '/v1/slack/app/callback',
  summary: 'Finish connecting a Slack channel: Slack redirects the browser here, and on to the dashboard',
  auth: 'public',
  query: Closed({
    code: Type.Optional(CallbackValue),
    state: Type.Optional(CallbackValue),
    error: Type.Optional(CallbackValue),
  }),
  ignoresUnknownQuery: true,
  responses: { 302: 'empty' },
});

export const listSlackDestinations = defineEndpoint({
  id: 'listSlackDestinations',
  method: 'GET',
  path: '/v1/projects/:id/slack/destinations',
  summary: "List the connected Slack channels of the project's organization, newest first",
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ destinations: Type.Array(SlackDestination), next_cursor: NextCursor }),
  },
});

export const testSlackDestination = defineEndpoint({
  id: 'testSlackDestination',
  method: 'POST',
  path: '/v1/projects/:id/slack/destinations/:destinationId/test',
  summary: 'Send a test message to a connected Slack channel; success makes an inactive one active again',
  scope: {
    of: 'project_record',
    kind: 'slack_destination',
    project: 'params.id',
    id: 'params.destinationId',
    hidesProject: true,
  },
  params: destinationParams,
  body: 'none',
  responses: {
    200: Closed({ delivered: Type.Literal(true) }),
  },
  errors: ['upgrade_required', 'slack_delivery_failed', 'slack_not_configured'],
});

export const deleteSlackDestination = defineEndpoint({
  id: 'deleteSlackDestination',
  method: 'DELETE',
  path: '/v1/projects/:id/slack/destinations/:destinationId',
  summary: 'Disconnect a Slack channel that no alert rule and no weekly report uses',
  scope: {
    of: 'project_record',
    kind: 'slack_destination',
    project: 'params.id',
    id: 'params.destinationId',
    hidesProject: true,
  },
  role: 'admin',
  params: destinationParams,
  body: 'none',
  responses: { 204: 'empty' },
  errors: ['slack_destination_in_use'],
});
