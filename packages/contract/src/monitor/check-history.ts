import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';
import { CHECKS_PATH, checkParams, projectParams } from './availability-checks.ts';

const DayState = Type.Enum(['down', 'degraded', 'operational', 'paused', 'unknown']);

/** A day of a check, UTC (docs/contract/account.md 7.6). */
export const DailyRollup = Named('AvailabilityDailyRollup', {
  check_id: AnswerId(null),
  project_id: AnswerId('proj'),
  day: Type.String({ format: 'date' }),
  state: DayState,
  total_checks: Type.Integer(),
  successful_checks: Type.Integer(),
  failed_checks: Type.Integer(),
  degraded_checks: Type.Integer({ description: 'Reserved; always 0' }),
  avg_duration_ms: Nullable(Type.Integer({ description: 'Average over successful runs' })),
  first_checked_at: Nullable(Timestamp),
  last_checked_at: Nullable(Timestamp),
  downtime_seconds: Type.Integer(),
  incident_ids: Type.Array(AnswerId('inc')),
});
export type DailyRollup = Static<typeof DailyRollup>;

export const listDailyRollups = defineEndpoint({
  id: 'listDailyRollups',
  method: 'GET',
  path: `${CHECKS_PATH}/:checkId/daily-rollups`,
  summary: 'List the last 30 days of an availability check and today, UTC, latest first',
  scope: { of: 'project_record', kind: 'availability_check', project: 'params.id', id: 'params.checkId' },
  params: checkParams,
  query: Closed(pageQuery),
  responses: { 200: Closed({ daily_rollups: Type.Array(DailyRollup), next_cursor: NextCursor }) },
});

/** The days of a check in short, as an overview of many checks needs them. */
const CheckDays = Named('AvailabilityCheckDays', {
  check_id: AnswerId(null),
  days: Type.Array(
    Closed({
      day: Type.String({ description: 'UTC, `YYYY-MM-DD`' }),
      state: DayState,
      downtime_seconds: Type.Integer({ minimum: 0 }),
      incident_ids: Type.Array(AnswerId('inc')),
    }),
    { description: 'The last 30 days and today, latest first' },
  ),
  uptime: Nullable(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of successful runs; null without runs' }),
  ),
});
export type CheckDays = Static<typeof CheckDays>;

export const listCheckDays = defineEndpoint({
  id: 'listCheckDays',
  method: 'GET',
  path: `${CHECKS_PATH}/days`,
  summary: 'List the last 30 days and today of every availability check of a project, UTC',
  scope: { of: 'project', id: 'params.id' },
  params: projectParams,
  responses: { 200: Closed({ checks: Type.Array(CheckDays) }) },
});

/** Buckets of an answer at most; the bucket is as long as this asks for. */
export const LATENCY_BUCKETS_MAX = 400;

const CheckLatency = Named('AvailabilityCheckLatency', {
  bucket_seconds: Type.Integer({ minimum: 1 }),
  series: Type.Array(
    Closed({
      at: Timestamp,
      runs: Type.Integer({ minimum: 0 }),
      failed: Type.Integer({ minimum: 0 }),
      p50_ms: Nullable(Type.Integer({ minimum: 0, description: 'Duration of successful runs' })),
      p95_ms: Nullable(Type.Integer({ minimum: 0 })),
    }),
    { maxItems: LATENCY_BUCKETS_MAX, description: 'Only buckets with runs, oldest first' },
  ),
});
export type CheckLatency = Static<typeof CheckLatency>;

export const getCheckLatency = defineEndpoint({
  id: 'getCheckLatency',
  method: 'GET',
  path: `${CHECKS_PATH}/:checkId/latency`,
  summary: 'Get the durations of the runs of an availability check',
  scope: { of: 'project_record', kind: 'availability_check', project: 'params.id', id: 'params.checkId' },
  params: checkParams,
  query: Closed({ from: Type.Optional(RequestTimestamp), to: Type.Optional(RequestTimestamp) }),
  conditions: [
    '`from` is before `to` by 31 days at most; absent, `to` is now and `from` 24 hours before it.',
  ],
  responses: { 200: CheckLatency },
});
