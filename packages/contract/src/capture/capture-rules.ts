import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT, OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { RequestTimestamp } from '../schemas/timestamp-schemas.ts';
import {
  CaptureAccessMode,
  CaptureMatcher,
  CaptureMatcherRequest,
  CaptureRule,
  CaptureRuleAction,
  SampleEventClass,
  SampleRate,
  Text,
} from './capture.ts';

const Name = Text(120);
const Description = Nullable(Type.String({ maxLength: 500 }));
const Provenance = Nullable(Text(120));

const newRule = {
  name: Name,
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  action: CaptureRuleAction,
  matcher: CaptureMatcher,
  sample_rate: Type.Optional(Nullable(SampleRate)),
  sample_event_class: Type.Optional(Nullable(SampleEventClass)),
  expires_at: Type.Optional(Nullable(RequestTimestamp)),
  created_from_incident_id: Type.Optional(Provenance),
  created_from_event_id: Type.Optional(Provenance),
};

/** The fields of a new rule (docs/contract/ingestion.md 5.4). */
export const NewCaptureRule = Closed({
  ...newRule,
  matcher: CaptureMatcherRequest,
  created_by_user_id: Type.Optional({
    ...Provenance,
    description: "Accepted and replaced by the caller's own id",
  }),
});
export type NewCaptureRule = Static<typeof NewCaptureRule>;

const CaptureRulePatch = Closed({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean()),
  action: Type.Optional(CaptureRuleAction),
  matcher: Type.Optional(CaptureMatcherRequest),
  sample_rate: Type.Optional(Nullable(SampleRate)),
  sample_event_class: Type.Optional(Nullable(SampleEventClass)),
  expires_at: Type.Optional(Nullable(RequestTimestamp)),
});
export type CaptureRulePatch = Static<typeof CaptureRulePatch>;

const ruleParams = Closed({ id: PathId('project'), ruleId: PathId('capture_rule') });
const ruleAnswer = Closed({ rule: CaptureRule });

export const listCaptureRules = defineEndpoint({
  id: 'listCaptureRules',
  method: 'GET',
  path: '/v1/projects/:id/capture-rules',
  summary: 'List the event filters of a project, newest first',
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: {
    200: Closed({
      access_mode: CaptureAccessMode,
      capture_rules: Type.Array(CaptureRule),
      next_cursor: NextCursor,
    }),
  },
});

export const createCaptureRule = defineEndpoint({
  id: 'createCaptureRule',
  method: 'POST',
  path: '/v1/projects/:id/capture-rules',
  summary: 'Create a filter that keeps matching events without incident, samples or discards them',
  ...OF_PROJECT,
  role: 'admin',
  body: NewCaptureRule,
  conditions: [
    '`sample_rate` and `sample_event_class` are both required with the action `sample` and refused with every other.',
    '`matcher` needs at least one key besides `event_types`.',
    'A `matcher` with `browser_event_kind` `resource_error` also needs `resource_url` or `fingerprint`.',
    'The `start` of a status range is not above its `end`.',
    '`expires_at` is in the future.',
  ],
  responses: { 201: ruleAnswer },
  errors: ['capture_rule_limit_reached'],
});

export const updateCaptureRule = defineEndpoint({
  id: 'updateCaptureRule',
  method: 'PATCH',
  path: '/v1/projects/:id/capture-rules/:ruleId',
  summary: 'Change a rule; its matcher is replaced as a whole',
  scope: { of: 'project_record', kind: 'capture_rule', project: 'params.id', id: 'params.ruleId' },
  role: 'admin',
  params: ruleParams,
  body: CaptureRulePatch,
  conditions: [
    'The changed filter meets the conditions of a new one; `expires_at` may be in the past. Leaving `sample` clears the sample fields.',
  ],
  responses: { 200: ruleAnswer },
});

export const deleteCaptureRule = defineEndpoint({
  id: 'deleteCaptureRule',
  method: 'DELETE',
  path: '/v1/projects/:id/capture-rules/:ruleId',
  summary: 'Delete a rule',
  scope: { of: 'project_record', kind: 'capture_rule', project: 'params.id', id: 'params.ruleId' },
  role: 'admin',
  params: ruleParams,
  body: 'none',
  responses: { 200: Closed({ success: Type.Literal(true) }) },
});

/** A rule that fits an incident's bundle (docs/contract/ingestion.md 5.5). */
export const CaptureRuleSuggestion = Named('CaptureRuleSuggestion', {
  suggestion_id: Type.String({
    maxLength: 120,
    description: 'Scope and action; the same in every response',
  }),
  label: Type.String({ maxLength: 200 }),
  recommended_action: CaptureRuleAction,
  confidence: Type.Enum(['high', 'medium', 'low']),
  reason: Type.String({ maxLength: 500 }),
  requires_confirmation: Type.Boolean(),
  created_rule_id: Nullable(AnswerId(null)),
  created_rule_enabled: Nullable(Type.Boolean()),
  rule: Closed(newRule),
});
export type CaptureRuleSuggestion = Static<typeof CaptureRuleSuggestion>;

export const suggestCaptureRules = defineEndpoint({
  id: 'suggestCaptureRules',
  method: 'POST',
  path: '/v1/incidents/:id/capture-rule-suggestion',
  summary: 'Suggest rules that would keep out events like those of an incident; changes nothing',
  ...OF_INCIDENT,
  changesNothing: true,
  body: 'none',
  responses: {
    200: Closed({
      suggestions: Type.Array(CaptureRuleSuggestion),
      bundle_status: Type.Enum(['ready', 'pending', 'failed']),
      bundle_reason: Nullable(Type.String()),
    }),
  },
});

export const createSuggestedCaptureRule = defineEndpoint({
  id: 'createSuggestedCaptureRule',
  method: 'POST',
  path: '/v1/incidents/:id/capture-rules',
  summary: 'Create a rule from a suggestion',
  ...OF_INCIDENT,
  role: 'admin',
  body: Closed({
    suggestion_id: Text(120),
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean()),
    expires_at: Type.Optional(Nullable(RequestTimestamp)),
  }),
  conditions: ['`expires_at` is in the future.'],
  responses: { 201: ruleAnswer },
  errors: ['suggestion_not_found', 'bundle_not_ready', 'capture_rule_exists', 'capture_rule_limit_reached'],
});
