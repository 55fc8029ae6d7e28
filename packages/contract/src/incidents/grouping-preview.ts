import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { StackRules } from '../workspace/projects.ts';

const Count = Type.Integer({ minimum: 0 });

export const GROUPING_PREVIEW_HOURS_MAX = 168;
const CHANGES_MAX = 50;
const INCIDENTS_MAX = 20;
const SAMPLES_MAX = 3;
export const GROUPING_PREVIEW_LIMITS = {
  changes: CHANGES_MAX,
  incidents: INCIDENTS_MAX,
  samples: SAMPLES_MAX,
} as const;

const PreviewedIncident = Closed({ incident_id: AnswerId('inc'), title: Type.String(), events: Count });
const samples = Type.Array(Type.String(), {
  maxItems: SAMPLES_MAX,
  description: 'Messages of some of the events, one line each',
});

/** The effect of a change of grouping on the signals of the last hours (docs/contract/grouping.md 7). */
export const GroupingPreview = Named('GroupingPreview', {
  events_seen: Type.Integer({ minimum: 0, description: 'Signals that were regrouped' }),
  incidents_seen: Count,
  merge_count: Type.Integer({
    minimum: 0,
    description: 'Groups that would contain several current incidents',
  }),
  merges: Type.Array(
    Closed({
      incidents: Type.Array(PreviewedIncident, { maxItems: INCIDENTS_MAX }),
      events: Count,
      samples,
    }),
    { maxItems: CHANGES_MAX, description: 'Most events first' },
  ),
  split_count: Type.Integer({
    minimum: 0,
    description: 'Incidents whose events would be in several groups',
  }),
  splits: Type.Array(
    Closed({
      incident: PreviewedIncident,
      groups: Type.Integer({ minimum: 2 }),
      samples,
    }),
    { maxItems: CHANGES_MAX, description: 'Most events first' },
  ),
  is_complete: Type.Boolean({ description: 'False: there were more events than one request reads' }),
});
export type GroupingPreview = Static<typeof GroupingPreview>;

export const previewGrouping = defineEndpoint({
  id: 'previewGrouping',
  method: 'POST',
  path: '/v1/projects/:id/grouping-preview',
  summary: 'Show which incidents of the last hours other stack rules would merge or split; changes nothing',
  ...OF_PROJECT,
  role: 'admin',
  changesNothing: true,
  body: Closed({
    stack_rules: Type.Optional(StackRules),
    hours: Type.Integer({ minimum: 1, maximum: GROUPING_PREVIEW_HOURS_MAX }),
  }),
  responses: { 200: GroupingPreview },
});
