import Type, { type Static, type TProperties } from 'typebox';
import {
  CaptureAccessMode,
  CaptureMatcher,
  CaptureRule,
  CaptureRuleAction,
  SampleEventClass,
  SampleRate,
  Text,
} from './capture.ts';
import { defineEndpoint } from './endpoint.ts';
import { AnswerId, PathId } from './identifiers.ts';
import { Nullable } from './nullable.ts';
import { NextCursor, pageQuery } from './page-schemas.ts';
import { RequestTimestamp } from './timestamp-schemas.ts';

const Closed = <Properties extends TProperties>(properties: Properties, title?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(title === undefined ? {} : { title }) });

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

/** What a rule is made of (ingestion.md 5.4). */
const NewCaptureRule = Closed({
  ...newRule,
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
  matcher: Type.Optional(CaptureMatcher),
  sample_rate: Type.Optional(Nullable(SampleRate)),
  sample_event_class: Type.Optional(Nullable(SampleEventClass)),
  expires_at: Type.Optional(Nullable(RequestTimestamp)),
});
export type CaptureRulePatch = Static<typeof CaptureRulePatch>;

const projectParams = Closed({ id: PathId('project') });
const ruleParams = Closed({ id: PathId('project'), ruleId: PathId('capture_rule') });
const ruleAnswer = Closed({ rule: CaptureRule });

export const listCaptureRules = defineEndpoint({
  id: 'listCaptureRules',
  method: 'GET',
  path: '/v1/projects/:id/capture-rules',
  summary: 'List the capture rules of a project, newest first',
  auth: 'member',
  params: projectParams,
  query: Closed(pageQuery),
  responses: {
    200: Closed({
      access_mode: CaptureAccessMode,
      capture_rules: Type.Array(CaptureRule),
      next_cursor: NextCursor,
    }),
  },
  errors: ['project_not_found', 'shared_access_suspended'],
});

export const createCaptureRule = defineEndpoint({
  id: 'createCaptureRule',
  method: 'POST',
  path: '/v1/projects/:id/capture-rules',
  summary: 'Create a rule that demotes, samples or drops matching events',
  auth: 'member',
  role: 'admin',
  params: projectParams,
  body: NewCaptureRule,
  responses: { 201: ruleAnswer },
  errors: ['project_not_found', 'forbidden', 'shared_access_suspended', 'capture_rule_limit_reached'],
});

export const updateCaptureRule = defineEndpoint({
  id: 'updateCaptureRule',
  method: 'PATCH',
  path: '/v1/projects/:id/capture-rules/:ruleId',
  summary: 'Change a rule; its matcher is replaced as a whole',
  auth: 'member',
  role: 'admin',
  params: ruleParams,
  body: CaptureRulePatch,
  responses: { 200: ruleAnswer },
  errors: ['project_not_found', 'rule_not_found', 'forbidden', 'shared_access_suspended'],
});

export const deleteCaptureRule = defineEndpoint({
  id: 'deleteCaptureRule',
  method: 'DELETE',
  path: '/v1/projects/:id/capture-rules/:ruleId',
  summary: 'Delete a rule',
  auth: 'member',
  role: 'admin',
  params: ruleParams,
  body: 'none',
  responses: { 200: Closed({ success: Type.Literal(true) }) },
  errors: ['project_not_found', 'rule_not_found', 'forbidden', 'shared_access_suspended'],
});

/** A rule that fits an incident's bundle (ingestion.md 5.5). */
export const CaptureRuleSuggestion = Closed(
  {
    suggestion_id: Type.String({ maxLength: 120, description: 'Scope and action, the same for every look' }),
    label: Type.String({ maxLength: 200 }),
    recommended_action: CaptureRuleAction,
    confidence: Type.Enum(['high', 'medium', 'low']),
    reason: Type.String({ maxLength: 500 }),
    requires_confirmation: Type.Boolean(),
    created_rule_id: Nullable(AnswerId(null)),
    created_rule_enabled: Nullable(Type.Boolean()),
    rule: Closed(newRule),
  },
  'CaptureRuleSuggestion',
);
export type CaptureRuleSuggestion = Static<typeof CaptureRuleSuggestion>;

const incidentParams = Closed({ id: PathId('incident') });

export const suggestCaptureRules = defineEndpoint({
  id: 'suggestCaptureRules',
  method: 'POST',
  path: '/v1/incidents/:id/capture-rule-suggestion',
  summary: 'Suggest rules that would keep events like those of an incident away; changes nothing',
  auth: 'member',
  params: incidentParams,
  body: 'none',
  responses: {
    200: Closed({
      suggestions: Type.Array(CaptureRuleSuggestion),
      bundle_status: Type.Enum(['ready', 'pending', 'failed']),
      bundle_reason: Nullable(Type.String()),
    }),
  },
  errors: ['incident_not_found', 'shared_access_suspended'],
});

export const createSuggestedCaptureRule = defineEndpoint({
  id: 'createSuggestedCaptureRule',
  method: 'POST',
  path: '/v1/incidents/:id/capture-rules',
  summary: 'Create a rule from a suggestion',
  auth: 'member',
  role: 'admin',
  params: incidentParams,
  body: Closed({
    suggestion_id: Text(120),
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean()),
    expires_at: Type.Optional(Nullable(RequestTimestamp)),
  }),
  responses: { 201: ruleAnswer },
  errors: [
    'incident_not_found',
    'suggestion_not_found',
    'forbidden',
    'shared_access_suspended',
    'bundle_not_ready',
    'capture_rule_exists',
    'capture_rule_limit_reached',
  ],
});
