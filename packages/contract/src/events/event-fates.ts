import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';

const Count = Type.Integer({ minimum: 0 });

/** The number of submitted events, by outcome; `waiting` ones have none yet. */
const fateCounts = {
  submitted: Type.Integer({ minimum: 0, description: 'The sum of all others' }),
  processed: Count,
  demoted: Count,
  duplicate: Count,
  dropped: Count,
  sampled_out: Count,
  refused_by_policy: Count,
  rate_limited: Count,
  invalid: Count,
  dead_letter: Count,
  waiting: Type.Integer({ minimum: 0, description: 'Accepted and not processed yet' }),
};

/** An outcome, or `submitted`, or `waiting`. */
export type FateWord = keyof typeof fateCounts;

export const FATE_WORDS: readonly string[] = Object.keys(fateCounts);

export const FateCounts = Named('FateCounts', fateCounts);
export type FateCounts = Static<typeof FateCounts>;

/** The longest time whose outcomes one answer includes. */
export const FATE_DAYS_MAX = 31;
/** Tokens and rules that are listed at most: those with the most events. */
export const FATE_ROWS_MAX = 200;
/** Reasons that are listed at most. */
export const FATE_REASONS_MAX = 100;
/** Kinds that are listed at most. */
export const FATE_KINDS_MAX = 100;

/** The outcomes of the events that were sent to a project (docs/contract/server-additions.md S11). */
export const EventFates = Named('EventFates', {
  from: Timestamp,
  to: Timestamp,
  bucket: Type.Enum(['hour', 'day']),
  totals: FateCounts,
  series: Type.Array(Named('FateBucket', { at: Timestamp, ...fateCounts }), {
    description: 'Every bucket of the time, oldest first',
  }),
  by_token: Type.Array(
    Named('TokenFates', { token_id: AnswerId('tok'), label: Nullable(Type.String()), ...fateCounts }),
    { maxItems: FATE_ROWS_MAX, description: 'Most events first' },
  ),
  by_rule: Type.Array(
    Named('RuleFates', {
      rule_id: AnswerId(null),
      name: Nullable(Type.String({ description: 'Null for a rule that was deleted' })),
      action: Type.Enum(['drop', 'sample']),
      events: Type.Integer({ minimum: 0, description: 'Events that the rule dropped or sampled out' }),
    }),
    { maxItems: FATE_ROWS_MAX, description: 'Most events first' },
  ),
  by_reason: Type.Array(
    Named('RejectedEvents', {
      token_id: AnswerId('tok'),
      label: Nullable(Type.String({ description: 'Null for a token that was deleted' })),
      reason: Nullable(
        Type.String({
          description: 'As in the response to the sender; null for many that are counted together',
        }),
      ),
      events: Type.Integer({ minimum: 1 }),
      last_at: Timestamp,
    }),
    {
      maxItems: FATE_REASONS_MAX,
      description: 'Events that were `invalid` or `rate_limited`, by token and reason; the latest first',
    },
  ),
  by_kind: Type.Array(
    Named('KindFates', {
      protocol: Type.Enum(['sentry', 'otlp', 'report']),
      kind: Type.String({ description: 'The word of the protocol, or `unknown`' }),
      taken: Type.Integer({ minimum: 0, description: 'Items that became events' }),
      not_taken: Type.Integer({
        minimum: 0,
        description:
          'Items that are not stored, because Culprit does not use them; they are not events and not part of `submitted`',
      }),
      over_limit: Type.Integer({ minimum: 0, description: 'Items that were too large or too many' }),
      last_at: Timestamp,
    }),
    {
      maxItems: FATE_KINDS_MAX,
      description: 'Items from third-party clients, by kind; most first',
    },
  ),
});
export type EventFates = Static<typeof EventFates>;

export const listEventFates = defineEndpoint({
  id: 'listEventFates',
  method: 'GET',
  path: '/v1/projects/:id/event-fates',
  summary: 'Count the outcomes of the events of a project, by time, token and filter',
  ...OF_PROJECT,
  query: Closed({
    from: Type.Optional(RequestTimestamp),
    to: Type.Optional(RequestTimestamp),
    bucket: Type.Optional(Type.Enum(['hour', 'day'], { default: 'hour' })),
  }),
  conditions: [
    `\`from\` is before \`to\` by ${FATE_DAYS_MAX} days at most; absent, \`to\` is now and \`from\` 24 hours before it.`,
    'Both are extended to whole buckets in UTC. Events are counted at the hour in which they were received.',
  ],
  responses: { 200: EventFates },
});
