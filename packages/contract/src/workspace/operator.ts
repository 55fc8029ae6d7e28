import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { ServerDescription } from '../endpoints/server.ts';
import { FateCounts } from '../events/event-fates.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const Bytes = Type.Number({ minimum: 0, description: 'Bytes' });
const Seconds = Type.Number({ minimum: 0, description: 'Seconds' });

/** Something that is wrong or perhaps not meant; `culprit-server admin doctor` prints the same ones. */
export const OperatorFinding = Named('OperatorFinding', {
  check: Type.String({ description: 'Name of the check' }),
  severity: Type.Enum(['warning', 'wrong'], {
    description: 'A warning is allowed, but perhaps not intended',
  }),
  what: Type.String({ description: 'One line' }),
  since: Nullable(Timestamp),
  todo: Type.String({ description: 'One line' }),
  command: Nullable(Type.String({ description: 'Command that fixes it' })),
});
export type OperatorFinding = Static<typeof OperatorFinding>;

/** Hours that the course of the canary covers. */
export const CANARY_HOURS = 24;

/** The state of the installation (docs/contract/server-additions.md S12). */
export const OperatorHealth = Named('OperatorHealth', {
  version: Type.String(),
  time: Timestamp,
  started_at: Type.String({ format: 'date-time', description: 'Start of the process that responds' }),
  settings: Closed({
    mail: Type.Enum(['smtp', 'terminal', 'file', 'off']),
    object_store: Type.Enum(['files', 's3']),
    database_version: Type.String(),
    embedded: Type.Boolean({ description: 'The database is the one that Culprit starts itself' }),
    base_url: Type.String(),
    signup: ServerDescription.properties.signup,
  }),
  processes: Type.Array(
    Named('OperatorProcess', {
      role: Type.Enum(['api', 'worker']),
      pid: Count,
      host: Type.String(),
      version: Type.String(),
      started_at: Timestamp,
      rss_bytes: Bytes,
      seen_at: Timestamp,
    }),
    { description: 'Processes that reported in the last two minutes' },
  ),
  queues: Type.Array(
    Named('OperatorQueue', {
      lane: Type.String(),
      waiting: Type.Integer({ minimum: 0, description: 'Including scheduled ones' }),
      due: Count,
      oldest_due_seconds: Seconds,
    }),
  ),
  canary: Nullable(
    Named('OperatorCanary', {
      last_at: Timestamp,
      incident_ms: Nullable(Count),
      webhook_ms: Nullable(Count),
      failures_24h: Count,
      series: Type.Array(Count, {
        description: `Slowest way to the webhook in each of ${CANARY_HOURS} hours, in milliseconds, the last one now; 0: none arrived`,
      }),
    }),
  ),
  fates_24h: FateCounts,
  dead_letters: Count,
  disk: Nullable(
    Closed({
      free_bytes: Bytes,
      total_bytes: Bytes,
      guard_bytes: Type.Number({ minimum: 0, description: 'Below it, events are answered 503' }),
    }),
  ),
  database: Closed({ size_bytes: Bytes, oldest_transaction_seconds: Seconds }),
  objects: Closed({
    size_bytes: Nullable(Type.Number({ minimum: 0, description: 'Stored events; null: not known' })),
    failures_1h: Type.Integer({ minimum: 0, description: 'Failed operations of the object store' }),
  }),
  backup: Nullable(
    Closed({ finished_at: Timestamp, directory: Type.String(), size_bytes: Bytes, missing_objects: Count }),
  ),
  findings: Type.Array(OperatorFinding, { description: 'Most serious first' }),
});
export type OperatorHealth = Static<typeof OperatorHealth>;

const INSTALLATION = { of: 'installation' } as const;

export const getOperatorHealth = defineEndpoint({
  id: 'getOperatorHealth',
  method: 'GET',
  path: '/v1/operator/health',
  summary: 'Get the health of the installation; only for operators, others get 404',
  scope: INSTALLATION,
  responses: { 200: OperatorHealth },
});

/** An event that could not be processed, without what was in it. */
export const DeadLetter = Named('DeadLetter', {
  id: Type.Integer({ minimum: 1 }),
  project_id: AnswerId('proj'),
  batch_id: AnswerId(null),
  position: Type.Integer({ minimum: 0, description: 'Position in its batch' }),
  batch_events: Type.Integer({ minimum: 1, description: 'Dead letters of its batch' }),
  object: Nullable(Type.String({ description: 'Object of its batch; null: it no longer exists' })),
  attempts: Count,
  created_at: Timestamp,
  reason: Type.String({ description: 'Reason, without event text that a parser quoted' }),
});
export type DeadLetter = Static<typeof DeadLetter>;

export const listDeadLetters = defineEndpoint({
  id: 'listDeadLetters',
  method: 'GET',
  path: '/v1/operator/dead-letters',
  summary: 'List the events that could not be processed, oldest first; operators only',
  scope: INSTALLATION,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ dead_letters: Type.Array(DeadLetter), total: Count, next_cursor: NextCursor }),
  },
});

/** Dead letters that are put back by one request. */
export const RETRIED_LETTERS_MAX = 500;

export const retryDeadLetters = defineEndpoint({
  id: 'retryDeadLetters',
  method: 'POST',
  path: '/v1/operator/dead-letters/retry',
  summary: 'Queue dead letters again, to be processed like new events; operators only',
  scope: INSTALLATION,
  body: Closed({
    ids: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      minItems: 1,
      maxItems: RETRIED_LETTERS_MAX,
      description: 'Ids that are not dead letters are skipped',
    }),
  }),
  responses: {
    200: Closed({ retried: Type.Integer({ minimum: 0, description: 'Number of queued events' }) }),
  },
});
