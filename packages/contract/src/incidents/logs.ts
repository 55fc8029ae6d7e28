import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** Characters of a row's summary. */
const LOG_SUMMARY_CHARS_MAX = 200;

export const LogLevel = Type.Enum(['debug', 'info', 'warning', 'error', 'critical']);

/** One event attached to an incident (docs/contract/incidents.md 2.6). */
export const LogRow = Named('LogRow', {
  event_id: Type.String({ description: 'As the client sent it, or `evt_` and a UUID' }),
  event_type: Type.String(),
  occurred_at: Timestamp,
  is_sampled: Type.Boolean({ description: 'Whether its full details are still stored' }),
  level: Nullable(LogLevel),
  summary: Nullable(
    Type.String({
      maxLength: LOG_SUMMARY_CHARS_MAX,
      description: 'Its message in one line; null if its details are no longer stored',
    }),
  ),
});
export type LogRow = Static<typeof LogRow>;

const logQuery = {
  level: Type.Optional(
    Type.Enum(['debug', 'info', 'warning', 'error', 'critical', 'fatal'], {
      description: 'Exact level; `fatal` is read as `critical`',
    }),
  ),
  ...pageQuery,
};

const logPage = Closed({ logs: Type.Array(LogRow), next_cursor: NextCursor });

export const listIncidentLogs = defineEndpoint({
  id: 'listIncidentLogs',
  method: 'GET',
  path: '/v1/incidents/:id/logs',
  summary: 'List the events of an incident, newest first',
  ...OF_INCIDENT,
  query: Closed(logQuery),
  responses: { 200: logPage },
});

export const listLogs = defineEndpoint({
  id: 'listLogs',
  method: 'GET',
  path: '/v1/logs',
  summary: 'List the events of an incident named in the query, newest first',
  scope: { of: 'record', kind: 'incident', id: 'query.incident_id' },
  query: Closed({ incident_id: RequestId('Id of the incident'), ...logQuery }),
  responses: { 200: logPage },
});
