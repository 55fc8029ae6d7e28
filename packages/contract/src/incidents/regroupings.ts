import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { StackRules } from '../workspace/projects.ts';
import { GROUPING_PREVIEW_HOURS_MAX } from './grouping-preview.ts';

/** Regroupings that a list shows, the newest first. */
export const SHOWN_REGROUPINGS_MAX = 50;

const Count = Type.Integer({ minimum: 0 });

/** A change of grouping that was applied to the incidents that were there (docs/contract/grouping.md 8). */
export const Regrouping = Named('Regrouping', {
  regrouping_id: AnswerId(null),
  created_at: Timestamp,
  created_by_user_id: Nullable(AnswerId(null)),
  stack_rules_before: StackRules,
  stack_rules: StackRules,
  hours: Type.Integer({ minimum: 1 }),
  merged_incidents: Type.Integer({ minimum: 0, description: 'Incidents merged into older ones' }),
  led_keys: Type.Integer({ minimum: 0, description: 'New keys that lead to incidents that were there' }),
  split_incidents: Type.Integer({
    minimum: 0,
    description: 'Split incidents: the rarer events open new incidents',
  }),
  events_seen: Count,
  is_complete: Type.Boolean({ description: 'False: there were more events than one request reads' }),
  undone_at: Nullable(Timestamp),
  undone_by_user_id: Nullable(AnswerId(null)),
});
export type Regrouping = Static<typeof Regrouping>;

const params = Closed({ id: PathId('project') });
const answer = Closed({ regrouping: Regrouping });
const scope = { of: 'project', id: 'params.id' } as const;

export const listRegroupings = defineEndpoint({
  id: 'listRegroupings',
  method: 'GET',
  path: '/v1/projects/:id/regroupings',
  summary: `List the changes of grouping that were applied to incidents, newest first, at most ${SHOWN_REGROUPINGS_MAX}`,
  scope,
  params,
  responses: {
    200: Closed({ regroupings: Type.Array(Regrouping) }),
  },
});

export const applyRegrouping = defineEndpoint({
  id: 'applyRegrouping',
  method: 'POST',
  path: '/v1/projects/:id/regroupings',
  summary:
    'Change the stack rules of a project and regroup recent incidents: merges incidents that they group together, and continues incidents under their new keys',
  scope,
  role: 'admin',
  params,
  body: Closed({
    stack_rules: StackRules,
    hours: Type.Integer({ minimum: 1, maximum: GROUPING_PREVIEW_HOURS_MAX }),
  }),
  responses: { 201: answer },
  errors: ['grouping_changed'],
});

export const undoRegrouping = defineEndpoint({
  id: 'undoRegrouping',
  method: 'POST',
  path: '/v1/projects/:id/regroupings/undo',
  summary:
    'Undo the newest change of grouping: incidents return with their own counts, and the stack rules are restored',
  scope,
  role: 'admin',
  params,
  body: Closed({ regrouping_id: RequestId('The newest regrouping that is not undone') }),
  responses: { 200: answer },
  errors: ['regrouping_not_found', 'grouping_changed'],
});
