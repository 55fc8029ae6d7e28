import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { CapturePolicyPatch } from './capture-policy.ts';
import { NewCaptureRule } from './capture-rules.ts';

const Count = Type.Integer({ minimum: 0 });

/** The outcomes of events under a policy and its rules. */
const outcomes = {
  incident: Type.Integer({ minimum: 0, description: 'Opens an incident, or counts in one' }),
  context: Type.Integer({ minimum: 0, description: 'Kept, without an incident' }),
  demoted: Count,
  dropped: Count,
  sampled_out: Count,
  rejected: Type.Integer({ minimum: 0, description: 'Refused by the policy' }),
};
export type CaptureOutcome = keyof typeof outcomes;

export const CAPTURE_OUTCOMES: readonly string[] = Object.keys(outcomes);

const OutcomeCounts = Named('CaptureOutcomes', outcomes);
export type OutcomeCounts = Static<typeof OutcomeCounts>;

const PREVIEW_HOURS_MAX = 168;
const INCIDENTS_MAX = 100;
const SAMPLES_MAX = 20;
export const CAPTURE_PREVIEW_LIMITS = { incidents: INCIDENTS_MAX, samples: SAMPLES_MAX } as const;

/** The effect of a change of capture on the events of the last hours (docs/contract/server-additions.md S13). */
export const CapturePreview = Named('CapturePreview', {
  events_seen: Count,
  before: OutcomeCounts,
  after: OutcomeCounts,
  incidents_hidden: Type.Array(
    Closed({ incident_id: AnswerId('inc'), title: Type.String(), events: Count }),
    {
      maxItems: INCIDENTS_MAX,
      description: 'Incidents of which no event would count; most events first',
    },
  ),
  regressions_hidden: Type.Integer({ minimum: 0, description: 'Regressions of these incidents' }),
  samples: Type.Array(
    Closed({
      event_id: Type.String(),
      event_type: Type.String(),
      occurred_at: Timestamp,
      text: Type.String(),
    }),
    { maxItems: SAMPLES_MAX, description: 'Events that would end otherwise, newest first' },
  ),
  is_complete: Type.Boolean({ description: 'False: there were more events than one request reads' }),
});
export type CapturePreview = Static<typeof CapturePreview>;

export const previewCapture = defineEndpoint({
  id: 'previewCapture',
  method: 'POST',
  path: '/v1/projects/:id/capture-preview',
  summary:
    'Show the effect of another policy or one more filter on the events of the last hours; changes nothing',
  ...OF_PROJECT,
  role: 'admin',
  changesNothing: true,
  body: Closed({
    policy: Type.Optional(CapturePolicyPatch),
    rule: Type.Optional(NewCaptureRule),
    hours: Type.Integer({ minimum: 1, maximum: PREVIEW_HOURS_MAX }),
  }),
  conditions: [
    '`policy`, `rule` or both are required, and `rule` meets the conditions of a new rule.',
    'Only accepted events are stored, so events that policy and rules reject today are not counted.',
  ],
  responses: { 200: CapturePreview },
  errors: ['upgrade_required'],
});
