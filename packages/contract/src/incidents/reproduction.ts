import Type, { type Static } from 'typebox';
import { Closed, Named } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import { OpenMap, OpenValue } from '../schemas/open-json.ts';

/** Why a failure can or cannot be replayed (docs/contract/incidents.md 4.2). */
export const ReproductionReason = Type.Enum([
  'opaque_browser_event',
  'invalid_request_line',
  'request_context_available',
  'request_context_without_body',
  'request_context_without_origin',
  'frontend_network_request',
  'insufficient_context',
  'no_request_context',
]);

/** The request as data, for callers that do not want a shell command. `url` never carries the query. */
export const ReproductionRequest = Closed({
  method: Type.String(),
  url: Type.String(),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  query: OpenMap,
  body: OpenValue,
});

/** Commands that send the captured request again (docs/contract/incidents.md 4.3). */
export const ReproductionArtifacts = Closed({
  curl: Type.String(),
  httpie: Type.String(),
  json_spec: ReproductionRequest,
});

/** The general chance that each class of failure replays; the same in every document. */
export const FeasibilityReference = Closed({
  standard_http_bugs: Type.Literal('high'),
  frontend_interaction_plus_failing_request: Type.Literal('medium-high'),
  background_jobs: Type.Literal('medium'),
  race_conditions: Type.Literal('low'),
  external_outage_timing: Type.Literal('low-medium'),
});

/**
 * The steps that make the failure happen again (docs/contract/incidents.md 4.1). `artifacts` is null exactly when
 * `possible` is false.
 */
export const Reproduction = Named('Reproduction', {
  possible: Type.Boolean(),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  reason: ReproductionReason,
  artifacts: Nullable(ReproductionArtifacts),
  feasibility_reference: FeasibilityReference,
});

export type ReproductionReason = Static<typeof ReproductionReason>;
export type ReproductionRequest = Static<typeof ReproductionRequest>;
export type ReproductionArtifacts = Static<typeof ReproductionArtifacts>;
export type FeasibilityReference = Static<typeof FeasibilityReference>;
export type Reproduction = Static<typeof Reproduction>;
