import Type from 'typebox';
import { Closed } from '../schemas/closed-object.ts';
import { RequestId } from '../schemas/identifiers.ts';
import { defineEndpoint } from './endpoint.ts';

/** The subjects of a change; readers request these again. */
export const STREAM_RESOURCES = ['incidents', 'bundles', 'improvements', 'rejections'] as const;
export type StreamResource = (typeof STREAM_RESOURCES)[number];

/** More changed incidents are not named. */
export const STREAM_INCIDENTS_MAX = 100;

export const streamChanges = defineEndpoint({
  id: 'streamChanges',
  method: 'GET',
  path: '/v1/stream',
  summary: 'Receive hints about what to reload, as server-sent events without data',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({ project_id: Type.Optional(RequestId('Absent: all visible projects')) }),
  isEventStream: true,
  conditions: [
    '`hello` with `{server_time}` comes first.',
    `\`changed\` with \`{project_id, resources, incident_ids}\` comes at most once a second for a project; \`incident_ids\` are ${STREAM_INCIDENTS_MAX} at most and null for more.`,
    '`bye` with `{reason}` is the last: `session_ended`, `max_age` after 15 minutes, or `shutting_down`.',
    'Events are not repeated, so clients reload after each `hello`.',
    'One session or token can hold 6 streams, one account 20.',
  ],
  responses: { 200: Type.String({ description: 'Server-sent events, with a comment every 20 seconds' }) },
  errors: ['rate_limited'],
});
