import Type, { type Static } from 'typebox';
import { CaptureAccessMode } from '../capture/capture.ts';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';
import { DebugBundle } from './bundle.ts';
import { BundlePending } from './incident-bundle.ts';
import { Severity } from './incidents.ts';

export const ImprovementKind = Type.Enum([
  'warning_hotspot',
  'slow_request',
  'request_failure_pattern',
  'recurring_incident',
  'post_deploy_regression',
]);
export type ImprovementKind = Static<typeof ImprovementKind>;

export const ImprovementStatus = Type.Enum(['open', 'resolved', 'snoozed']);
export type ImprovementStatus = Static<typeof ImprovementStatus>;

/** The amount of evidence before an improvement is shown, the most first (docs/contract/incidents.md 6.2). */
export const ImprovementSensitivity = Type.Enum(['high_confidence', 'balanced', 'verbose']);
export type ImprovementSensitivity = Static<typeof ImprovementSensitivity>;

/** Why there is no document (docs/contract/incidents.md 6.5). */
export const ImprovementBundleFailureReason = Type.Enum([
  'bundle_not_generated_yet',
  'covered_by_incident_bundle',
  'generation_error',
  'artifact_unreadable',
  'automation_disabled',
  'monthly_quota_exceeded',
]);
export type ImprovementBundleFailureReason = Static<typeof ImprovementBundleFailureReason>;

const RelatedIncidentIds = Type.Array(AnswerId('inc'));

/**
 * The evidence of a detector; beside the first four its own values, named for what it counts
 * (docs/contract/incidents.md 6.1, 6.2).
 */
const ImprovementEvidence = Named('ImprovementEvidence', {
  detector: Type.Enum([
    'slow_request',
    'slow_query',
    'warning_hotspot',
    'deprecation',
    'request_failure',
    'retry_loop',
    'recurring_incident',
    'post_deploy_regression',
  ]),
  window_seconds: Type.Integer(),
  observed: Type.Integer(),
  threshold: Type.Integer(),
  method: Type.Optional(Type.String()),
  route: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  statement: Type.Optional(Type.String({ description: 'Template of a statement' })),
  message: Type.Optional(Type.String({ description: 'Template of a message' })),
  limit_ms: Type.Optional(Type.Integer({ description: 'Duration from which it counts as slow' })),
  requests: Type.Optional(Type.Integer({ description: 'All requests of the route, if all are captured' })),
  percent: Type.Optional(Type.Number({ description: 'Percentage of them that is slow' })),
  group_attempts: Type.Optional(
    Type.Integer({ description: 'Minimum number of attempts of a caller within a minute' }),
  ),
  regressions: Type.Optional(Type.Integer()),
  days: Type.Optional(Type.Integer({ description: 'Number of days with occurrences' })),
});

/** The record (docs/contract/incidents.md 6.1). */
export const Improvement = Named('Improvement', {
  improvement_id: AnswerId(null),
  project_id: AnswerId('proj'),
  project_name: Type.String(),
  project_slug: Type.String(),
  service_id: Nullable(AnswerId(null)),
  service_name: Type.String(),
  service_runtime: Nullable(Type.String()),
  service_framework: Nullable(Type.String()),
  environment: Type.String(),
  kind: ImprovementKind,
  status: ImprovementStatus,
  severity: Severity,
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  fingerprint: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  title: Type.String(),
  summary: Type.String(),
  occurrence_count: Type.Integer({ minimum: 0 }),
  evidence: ImprovementEvidence,
  related_incident_ids: RelatedIncidentIds,
  first_detected_at: Timestamp,
  last_detected_at: Timestamp,
  resolved_at: Nullable(Timestamp),
  snoozed_until: Nullable(Timestamp),
  bundle_generation_number: Type.Integer({ minimum: 0 }),
  bundle_created_at: Nullable(Timestamp),
  bundle_updated_at: Nullable(Timestamp),
  bundle_failure_reason: Nullable(ImprovementBundleFailureReason),
});
export type Improvement = Static<typeof Improvement>;

const ImprovementBundleFailed = Named('ImprovementBundleFailed', {
  status: Type.Literal('failed'),
  reason: ImprovementBundleFailureReason,
  related_incident_ids: Type.Optional({
    ...RelatedIncidentIds,
    description: 'Only with `covered_by_incident_bundle`',
  }),
});

/** The settings of a project for improvements (docs/contract/incidents.md 6.5). */
export const ImprovementSettings = Named('ImprovementSettings', {
  access_mode: CaptureAccessMode,
  cloud_automation_available: Type.Boolean({ description: 'False on Free, where nothing is generated' }),
  settings: Closed({
    automated_improvement_bundles_enabled: Type.Boolean(),
    improvement_bundle_sensitivity: ImprovementSensitivity,
  }),
});
export type ImprovementSettings = Static<typeof ImprovementSettings>;

const improvementParams = Closed({ id: PathId('improvement') });
const improvementAnswer = Closed({ improvement: Improvement });

export const listImprovements = defineEndpoint({
  id: 'listImprovements',
  method: 'GET',
  path: '/v1/improvements',
  summary: 'List improvements, latest activity first',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    project_id: Type.Optional(RequestId('Only this project')),
    environment: Type.Optional(Type.String({ description: 'Exact, case-sensitive' })),
    service: Type.Optional(Type.String({ description: 'Exact service name' })),
    status: Type.Optional(ImprovementStatus),
    severity: Type.Optional(Severity),
    kind: Type.Optional(ImprovementKind),
    except_kind: Type.Optional({ ...ImprovementKind, description: 'Every kind but this one' }),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ improvements: Type.Array(Improvement), next_cursor: NextCursor }),
  },
});

export const getImprovement = defineEndpoint({
  id: 'getImprovement',
  method: 'GET',
  path: '/v1/improvements/:id',
  summary: 'Get one improvement; the id of its bundle is accepted too',
  scope: { of: 'record', kind: 'improvement', id: 'params.id' },
  params: improvementParams,
  responses: { 200: improvementAnswer },
});

export const resolveImprovement = defineEndpoint({
  id: 'resolveImprovement',
  method: 'POST',
  path: '/v1/improvements/:id/resolve',
  summary: 'Resolve an improvement; only new evidence reopens it',
  scope: { of: 'record', kind: 'improvement', id: 'params.id' },
  params: improvementParams,
  body: 'none',
  responses: { 200: improvementAnswer },
});

export const reopenImprovement = defineEndpoint({
  id: 'reopenImprovement',
  method: 'POST',
  path: '/v1/improvements/:id/reopen',
  summary: 'Reopen a resolved or snoozed improvement',
  scope: { of: 'record', kind: 'improvement', id: 'params.id' },
  params: improvementParams,
  body: 'none',
  responses: { 200: improvementAnswer },
});

export const snoozeImprovement = defineEndpoint({
  id: 'snoozeImprovement',
  method: 'POST',
  path: '/v1/improvements/:id/snooze',
  summary: 'Snooze an improvement until a time, one minute to 90 days ahead',
  scope: { of: 'record', kind: 'improvement', id: 'params.id' },
  params: improvementParams,
  body: Closed({ snoozed_until: RequestTimestamp }),
  conditions: ['`snoozed_until` is one minute to 90 days ahead.'],
  responses: { 200: improvementAnswer },
});

export const getImprovementBundle = defineEndpoint({
  id: 'getImprovementBundle',
  method: 'GET',
  path: '/v1/projects/:id/improvements/:improvementId/bundle',
  summary: 'Get the bundle of an improvement, or its state if there is none yet',
  scope: { of: 'project', id: 'params.id' },
  params: Closed({ id: PathId('project'), improvementId: PathId('improvement') }),
  responses: { 200: Type.Union([DebugBundle, BundlePending, ImprovementBundleFailed]) },
  errors: ['improvement_not_found'],
});

export const getImprovementSettings = defineEndpoint({
  id: 'getImprovementSettings',
  method: 'GET',
  path: '/v1/projects/:id/improvement-settings',
  summary: 'Get the improvement settings of a project',
  ...OF_PROJECT,
  responses: { 200: ImprovementSettings },
});

export const updateImprovementSettings = defineEndpoint({
  id: 'updateImprovementSettings',
  method: 'PATCH',
  path: '/v1/projects/:id/improvement-settings',
  summary: 'Change the improvement settings of a project',
  ...OF_PROJECT,
  role: 'admin',
  body: Closed(
    {
      automated_improvement_bundles_enabled: Type.Optional(Type.Boolean()),
      improvement_bundle_sensitivity: Type.Optional(ImprovementSensitivity),
    },
    { minProperties: 1 },
  ),
  responses: { 200: ImprovementSettings },
  errors: ['upgrade_required'],
});
